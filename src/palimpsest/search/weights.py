"""The weight of each feature when a question is answered.

Trained by `bench/train_recall.py` and validated on held-out conversations; none is negative. The role that a question
means counts mostly with what the text has in common with the question (`MEANT_ABOUT`), so it does not lift what is
beside the point over the other role's answer. Trained freely it had .077 on its own, for the same recall.
"""

from __future__ import annotations

from collections.abc import Mapping

OWN = 0.091
BEFORE = 0.031
AFTER = 0.013
FAR = 0.043
ANSWERS = 0.071
COVERED = 0.024
COVERED_NEAR = 0.051
COVERED_WIDE = 0.035
RAREST = 0.018
CLOSE = 0.038
SESSION = 0.037
SESSION_COVERED = 0.058
TALK = 0.009
MEANT = 0.02
MEANT_ABOUT = 0.095
SPEAKER = 0.011
SPEAKER_OWN = 0.0
PERSONAL = 0.019
NUMBER = 0.042
NAMES = 0.082
REASON = 0.026
LENGTH = 0.027
STATES = 0.011
DATED = 0.094
TIMED = 0.036
TIMED_OWN = 0.024

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
