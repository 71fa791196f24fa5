// Loaded into a command by NODE_OPTIONS=--import: requests to any host go to the server at $TEST_SERVER, by the last segment of the path.
// @ts-check
import http from 'node:http'
import https from 'node:https'
import { syncBuiltinESMExports } from 'node:module'

// @ts-expect-error: one of several signatures
https.get = (/** @type {URL} */ url, options, onResponse) =>
  http.get(new URL(`${url.pathname.split('/').pop()}`, process.env.TEST_SERVER), options, onResponse)
syncBuiltinESMExports()
