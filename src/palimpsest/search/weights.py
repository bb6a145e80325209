"""What each feature of a message counts for when a question is answered.

Learnt by `bench/train_recall.py` and held to conversations it had not seen; none is negative.
"""

from __future__ import annotations

from collections.abc import Mapping

OWN = 0.0
BEFORE = 0.014
AFTER = 0.009
FAR = 0.077
ANSWERS = 0.128
COVERED = 0.106
COVERED_NEAR = 0.053
COVERED_WIDE = 0.054
CLOSE = 0.039
SESSION = 0.096
TALK = 0.012
SPEAKER = 0.02
SPEAKER_OWN = 0.0
PERSONAL = 0.024
NUMBER = 0.061
LENGTH = 0.062
STATES = 0.016
DATED = 0.146
TIMED = 0.053
TIMED_OWN = 0.03
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
    "personal": PERSONAL,
    "number": NUMBER,
    "length": LENGTH,
    "states": STATES,
    "dated": DATED,
    "timed": TIMED,
    "timed_own": TIMED_OWN,
    "echo": ECHO,
}
FEATURES: tuple[str, ...] = tuple(WEIGHTS)
