import { buffer } from 'node:stream/consumers';
import { parseArgs } from 'node:util';

/**
 * Stands in for curl on a machine that has none: does what the documents ask of it, and refuses any option it does not
 * know. Ends as `curl --fail-with-body` does.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    silent: { type: 'boolean', short: 's' },
    'no-buffer': { type: 'boolean', short: 'N' },
    request: { type: 'string', short: 'X' },
    header: { type: 'string', short: 'H', multiple: true, default: [] },
    data: { type: 'string', short: 'd' },
    'data-binary': { type: 'string' },
    user: { type: 'string', short: 'u' },
  },
});

const [address = '', ...others] = positionals;
if (address === '' || others.length > 0) throw new Error('one address, please');
if (![undefined, '@-'].includes(values['data-binary'])) throw new Error('--data-binary is for what comes in: @-');
const body = values['data-binary'] === undefined ? values.data : await buffer(process.stdin);
const headers = new Headers(values.header.map((line) => splitAt(line, ':')));
if (body !== undefined && !headers.has('content-type'))
  headers.set('content-type', 'application/x-www-form-urlencoded');
if (values.user !== undefined) headers.set('authorization', `Basic ${Buffer.from(values.user).toString('base64')}`);
const response = await fetch(/^https?:/.test(address) ? address : `http://${address}`, {
  method: values.request ?? (body === undefined ? 'GET' : 'POST'),
  headers,
  ...(body !== undefined && { body: new Uint8Array(Buffer.from(body)) }),
});
for await (const chunk of response.body ?? []) process.stdout.write(chunk);
if (response.status >= 400) {
  console.error(`curl: (22) The requested URL returned error: ${response.status}`);
  process.exitCode = 22;
}

function splitAt(line: string, mark: string): [string, string] {
  const at = line.indexOf(mark);
  return [line.slice(0, at), line.slice(at + 1).trim()];
}
