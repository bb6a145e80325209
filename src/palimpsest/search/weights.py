"""What each feature of a message counts for when a question is answered.

Learnt by `bench/train_recall.py` and held to conversations it had not seen; none is negative.
"""

from __future__ import annotations

from collections.abc import Mapping

OWN = 0.0
BEFORE = 0.021
AFTER = 0.021
FAR = 0.037
ANSWERS = 0.1
COVERED = 0.062
COVERED_NEAR = 0.057
COVERED_WIDE = 0.028
RAREST = 0.037
CLOSE = 0.049
SESSION = 0.036
SESSION_COVERED = 0.07
TALK = 0.01
MEANT = 0.059
SPEAKER = 0.012
SPEAKER_OWN = 0.0
PERSONAL = 0.022
NUMBER = 0.046
NAMES = 0.081
REASON = 0.027
LENGTH = 0.036
STATES = 0.013
DATED = 0.107
TIMED = 0.042
TIMED_OWN = 0.025

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
