"""What each feature of a message counts for when a question is answered.

Learnt by `bench/train_recall.py` and held to conversations it had not seen; none is negative.
"""

from __future__ import annotations

from collections.abc import Mapping

OWN = 0.0
BEFORE = 0.022
AFTER = 0.022
FAR = 0.039
ANSWERS = 0.104
COVERED = 0.066
COVERED_NEAR = 0.059
COVERED_WIDE = 0.026
RAREST = 0.04
CLOSE = 0.053
SESSION = 0.039
SESSION_COVERED = 0.073
TALK = 0.011
MEANT = 0.0
SPEAKER = 0.017
SPEAKER_OWN = 0.0
PERSONAL = 0.022
NUMBER = 0.047
NAMES = 0.096
REASON = 0.029
LENGTH = 0.038
STATES = 0.013
DATED = 0.113
TIMED = 0.044
TIMED_OWN = 0.026
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
    "echo": ECHO,
}
FEATURES: tuple[str, ...] = tuple(WEIGHTS)
