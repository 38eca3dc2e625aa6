import type { Checks } from './sender-verified.rules.ts';

/** Far more than any server writes. */
const longest = 16 * 1024;

/** What one `Authentication-Results` header says (RFC 8601), and which server says it. */
export function readResults(value: string): { server: string; checks: Checks } {
  const [head = '', ...said] = segmentsOf(value.slice(0, longest));
  const results = said.map(resultOf);
  const of = (method: string) => results.filter((one) => one.method === method);
  const dmarc = of('dmarc').find(({ result }) => result === 'fail') ?? of('dmarc')[0];
  const [spf] = of('spf');
  return {
    server: (head.trim().split(/\s/)[0] ?? '').toLowerCase(),
    checks: {
      dmarc: dmarc && { result: dmarc.result, domain: dmarc.property('header.from') },
      spf: spf && { result: spf.result, domain: spf.property('smtp.mailfrom') ?? spf.property('smtp.helo') },
      dkim: of('dkim').map(({ result, property }) => ({
        result,
        domain: property('header.d') ?? property('header.i'),
      })),
    },
  };
}

/** `method=result` and what it is about; a version of the method says nothing to us. */
function resultOf(segment: string) {
  const [first = '', ...pairs] = segment
    .trim()
    .replace(/\s*=\s*/g, '=')
    .split(/\s+/);
  const [method = '', result = ''] = first.toLowerCase().split('=');
  const property = (name: string) =>
    pairs.find((pair) => pair.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1);
  return { method: method.split('/')[0], result, property };
}

/**
 * What stands between semicolons, without comments. Both comments and quoted strings may repeat what the sender chose: what
 * looks like a result in there is none.
 */
function segmentsOf(value: string): string[] {
  const segments: string[] = [];
  let [segment, depth, quoted] = ['', 0, false];
  for (let at = 0; at < value.length; at++) {
    const char = value.charAt(at);
    if (char === '\\' && (quoted || depth > 0)) at++;
    else if (char === '"' && depth === 0) quoted = !quoted;
    else if (char === '(' && !quoted) depth++;
    else if (char === ')' && depth > 0) depth--;
    else if (depth > 0) continue;
    else if (char === ';' && !quoted) {
      segments.push(segment);
      segment = '';
    } else segment += quoted && /[\s;=]/.test(char) ? '_' : char;
  }
  return [...segments, segment];
}
