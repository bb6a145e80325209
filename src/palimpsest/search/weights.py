"""What each feature of a message counts for when a question is answered.

Learnt by `bench/train_recall.py` and held to conversations it had not seen; none is negative.
"""

from __future__ import annotations

from collections.abc import Mapping

OWN = 1.0
BEFORE = 0.3
AFTER = 0.3
FAR = 0.1
ANSWERS = 0.3
COVERED = 0.5
COVERED_NEAR = 0.3
CLOSE = 0.1
SESSION = 0.15
TALK = 0.1
SPEAKER = 0.1
SPEAKER_OWN = 0.2
LENGTH = 0.1
STATES = 0.1
DATED = 0.3
TIMED = 0.1
TIMED_OWN = 0.2
ECHO = 0.0

WEIGHTS: Mapping[str, float] = {
    "own": OWN,
    "before": BEFORE,
    "after": AFTER,
    "far": FAR,
    "answers": ANSWERS,
    "covered": COVERED,
    "covered_near": COVERED_NEAR,
    "close": CLOSE,
    "session": SESSION,
    "talk": TALK,
    "speaker": SPEAKER,
    "speaker_own": SPEAKER_OWN,
    "length": LENGTH,
    "states": STATES,
    "dated": DATED,
    "timed": TIMED,
    "timed_own": TIMED_OWN,
    "echo": ECHO,
}
FEATURES: tuple[str, ...] = tuple(WEIGHTS)
