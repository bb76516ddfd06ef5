#!/usr/bin/env bash
# Starts a server on a free port, in memory, and points the steps behind this one to it.
set -euo pipefail

program=${TAVOLA_PROGRAM:-}
if [ -z "$program" ]; then
  folder=$RUNNER_TEMP/tavola-$TAVOLA_VERSION
  archive=tavola-$TAVOLA_VERSION-linux-$(uname -m).tar.gz
  mkdir -p "$folder"
  curl --fail --silent --show-error --location --output "$folder/$archive" "@RELEASES@/$archive"
  curl --fail --silent --show-error --location --output "$folder/SHA256SUMS" "@RELEASES@/SHA256SUMS"
  (cd "$folder" && grep -F "  $archive" SHA256SUMS | sha256sum --check --quiet)
  tar -xzf "$folder/$archive" -C "$folder" --strip-components=1
  program=$folder/bin/tavola
  echo "$folder/bin" >>"$GITHUB_PATH"
fi

ready=$RUNNER_TEMP/tavola-ready.json
log=$RUNNER_TEMP/tavola.log
rm -f "$ready"
# The runner ends it with the job. The arguments are split into words on purpose.
# shellcheck disable=SC2086
nohup "$program" serve --in-memory --port 0 --console off --ready-file "$ready" ${TAVOLA_ARGUMENTS:-} >"$log" 2>&1 </dev/null &
server=$!
while [ ! -e "$ready" ]; do
  if ! kill -0 "$server" 2>/dev/null; then
    echo "::error::Tavola did not start: $(tail -n 5 "$log" | tr '\n' ' ')"
    exit 1
  fi
  sleep 0.02
done

endpoint=$(sed -n 's/.*"endpoint":"\([^"]*\)".*/\1/p' "$ready")
echo "endpoint=$endpoint" >>"$GITHUB_OUTPUT"
{
  echo "AWS_ENDPOINT_URL_DYNAMODB=$endpoint"
  echo "AWS_REGION=local"
  echo "AWS_DEFAULT_REGION=local"
  echo "AWS_ACCESS_KEY_ID=tavola"
  echo "AWS_SECRET_ACCESS_KEY=tavola"
  echo "TAVOLA_PID=$server"
} >>"$GITHUB_ENV"
echo "Tavola answers at $endpoint"
