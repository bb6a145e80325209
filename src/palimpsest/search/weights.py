"""What each feature of a message counts for when a question is answered.

Learnt by `bench/train_recall.py` and held to conversations it had not seen; none is negative.
"""

from __future__ import annotations

from collections.abc import Mapping

OWN = 0.04
BEFORE = 0.023
AFTER = 0.01
FAR = 0.076
ANSWERS = 0.143
COVERED = 0.111
COVERED_NEAR = 0.075
COVERED_WIDE = 0.02
CLOSE = 0.087
SESSION = 0.094
TALK = 0.014
SPEAKER = 0.042
SPEAKER_OWN = 0.004
LENGTH = 0.044
STATES = 0.027
DATED = 0.123
TIMED = 0.048
TIMED_OWN = 0.041
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
    "close": CLOSE,
    "session": SESSION,
    "talk": TALK,
    "speaker": SPEAKER,
    "speaker_own": SPEAKER_OWN,
    "personal": 0.0,
    "number": 0.0,
    "length": LENGTH,
    "states": STATES,
    "dated": DATED,
    "timed": TIMED,
    "timed_own": TIMED_OWN,
    "echo": ECHO,
}
FEATURES: tuple[str, ...] = tuple(WEIGHTS)
