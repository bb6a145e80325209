"""What each feature of a message counts for when a question is answered.

Learnt by `bench/train_recall.py` and held to conversations it had not seen; none is negative.
"""

from __future__ import annotations

from collections.abc import Mapping

OWN = 0.0
BEFORE = 0.006
AFTER = 0.014
FAR = 0.065
ANSWERS = 0.106
COVERED = 0.075
COVERED_NEAR = 0.038
COVERED_WIDE = 0.054
RAREST = 0.0
CLOSE = 0.04
SESSION = 0.038
SESSION_COVERED = 0.08
TALK = 0.01
SPEAKER = 0.017
SPEAKER_OWN = 0.0
PERSONAL = 0.021
NUMBER = 0.051
NAMES = 0.109
REASON = 0.031
LENGTH = 0.046
STATES = 0.015
DATED = 0.12
TIMED = 0.046
TIMED_OWN = 0.019
ECHO = 0.0

WEIGHTS: Mapping[str, float] = {
    "own": OWN,
    "before": BEFORE,
    "after": AFTER,
    "far": FAR,
    "answers": ANSWERS,
    "covered": COVERED,
    "covered_near": COVERED_NEAR,
    "covered_wide": COVERED_WIDE,
    "rarest": RAREST,
    "close": CLOSE,
    "session": SESSION,
    "session_covered": SESSION_COVERED,
    "talk": TALK,
    "speaker": SPEAKER,
    "speaker_own": SPEAKER_OWN,
    "personal": PERSONAL,
    "number": NUMBER,
    "names": NAMES,
    "reason": REASON,
    "length": LENGTH,
    "states": STATES,
    "dated": DATED,
    "timed": TIMED,
    "timed_own": TIMED_OWN,
    "echo": ECHO,
}
FEATURES: tuple[str, ...] = tuple(WEIGHTS)
