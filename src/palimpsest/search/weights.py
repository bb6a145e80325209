"""What each feature of a message counts for when a question is answered.

Learnt by `bench/train_recall.py` and held to conversations it had not seen; none is negative.
"""

from __future__ import annotations

from collections.abc import Mapping

OWN = 0.091
BEFORE = 0.019
AFTER = 0.018
FAR = 0.036
ANSWERS = 0.093
COVERED = 0.027
COVERED_NEAR = 0.054
COVERED_WIDE = 0.036
RAREST = 0.032
CLOSE = 0.042
SESSION = 0.033
SESSION_COVERED = 0.064
TALK = 0.009
MEANT = 0.061
MEANT_ABOUT = 0.0
SPEAKER = 0.011
SPEAKER_OWN = 0.0
PERSONAL = 0.021
NUMBER = 0.042
NAMES = 0.088
REASON = 0.024
LENGTH = 0.027
STATES = 0.01
DATED = 0.101
TIMED = 0.039
TIMED_OWN = 0.021

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
    "meant": MEANT,
    "meant_about": MEANT_ABOUT,
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
}
FEATURES: tuple[str, ...] = tuple(WEIGHTS)
