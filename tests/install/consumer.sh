#!/usr/bin/env bash
# consumer.sh CMAKE BUILD OPTIONS...: configures, builds and runs the project in consumer/ from nothing.
set -euo pipefail
cmake=$1 build=$2
shift 2
"$cmake" --fresh -S "$(dirname "$0")/consumer" -B "$build" "$@"
"$cmake" --build "$build"
"$build/consumer"
