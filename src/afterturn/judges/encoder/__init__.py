"""Judges turns with a small encoder on the CPU: no LLM, no key, no text leaves the machine.

Importing this is cheap; onnxruntime, tokenizers, numpy and the model are loaded at the first question.
"""

from afterturn.judges.encoder._judge import EncoderJudge

__all__ = ["EncoderJudge"]
