#!/usr/bin/env bash
# Trains, exports and fits the encoder; writes packages/encoder/src/afterturn_encoder. Minutes of training: $1 (30).
set -euo pipefail
cd "$(dirname "$0")/../.."
work=${AFTERTURN_TRAINING:-/tmp/afterturn-encoder}
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet torch==2.13.0
"$work/venv/bin/pip" install --quiet numpy scipy scikit-learn wordfreq tokenizers onnx onnxruntime transformers
export PYTHONUNBUFFERED=1
"$work/venv/bin/python" training/encoder/train.py --out "$work" --minutes "${1:-30}"
"$work/venv/bin/python" training/encoder/export.py --out "$work"
rm -f "$work/vectors.npz" "$work/windows.npz"
"$work/venv/bin/python" training/encoder/heads.py --out "$work"
