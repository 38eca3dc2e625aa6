import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readResults } from './authentication-results.rules.ts';
import { type Checks, senderVerified } from './sender-verified.rules.ts';

const ada = 'ada@example.com';
const check = (result: string, domain?: string) => ({ result, domain });

test.each<[string, Checks, string]>([
  ['nothing is said', { dkim: [] }, 'unknown'],
  [
    'DMARC failed, whatever else passed',
    { dmarc: check('fail'), spf: check('pass', ada), dkim: [check('pass', 'example.com')] },
    'fail',
  ],
  ['DMARC passed', { dmarc: check('pass', 'example.com'), spf: check('fail', 'evil.example'), dkim: [] }, 'pass'],
  [
    'DMARC passed for another From, as where a mail has two',
    { dmarc: check('pass', 'evil.example'), dkim: [] },
    'fail',
  ],
  ['DMARC knows nothing of another From', { dmarc: check('none', 'evil.example'), dkim: [] }, 'fail'],
  ['DMARC passed for a domain with a subdomain', { dmarc: check('pass', 'mail.example.com'), dkim: [] }, 'pass'],
  ['DMARC knows nothing and SPF failed', { dmarc: check('none'), spf: check('fail', ada), dkim: [] }, 'fail'],
  [
    'SPF failed, as it does for what was forwarded, and the domain signed',
    { spf: check('fail', ada), dkim: [check('pass', 'example.com')] },
    'pass',
  ],
  ['SPF failed and a subdomain signed', { spf: check('fail'), dkim: [check('pass', 'mail.example.com')] }, 'pass'],
  ['SPF failed and a stranger signed', { spf: check('fail', ada), dkim: [check('pass', 'evil.example')] }, 'fail'],
  [
    'SPF failed and a domain that only ends alike signed',
    { spf: check('fail'), dkim: [check('pass', 'anexample.com')] },
    'fail',
  ],
  ['SPF failed and a top-level domain signed', { spf: check('fail'), dkim: [check('pass', 'com')] }, 'fail'],
  ['SPF failed and the signature too', { spf: check('fail'), dkim: [check('fail', 'example.com')] }, 'fail'],
  ['SPF is unsure', { spf: check('softfail', ada), dkim: [] }, 'unknown'],
  ['SPF passed for the domain', { spf: check('pass', 'bounces@mail.example.com'), dkim: [] }, 'pass'],
  ['SPF passed for a stranger', { spf: check('pass', 'eve@evil.example'), dkim: [] }, 'unknown'],
])('%s', (_, checks, verdict) => {
  expect(senderVerified(ada, checks)).toBe(verdict);
});

test('a domain counts in whichever script it is written', () => {
  const dkim = [check('pass', 'xn--mller-kva.example')];
  expect(senderVerified('ada@müller.example', { spf: check('fail'), dkim })).toBe('pass');
});

test('whose sender is unknown is never verified', () => {
  expect(senderVerified(null, { spf: check('pass', ada), dkim: [check('pass', 'example.com')] })).toBe('unknown');
});

test('a header is read with its comments, versions and folds', () => {
  const value =
    'MX.firm.example 1 (our server);\r\n spf/1 = pass (it may; dmarc=pass (indeed)) smtp.mailfrom=ada@example.com;\r\n' +
    ' dkim=pass (2048-bit key) header.d=example.com header.s=a; dkim=fail reason="no key; dkim=pass" header.i=@evil.example;' +
    '\r\n dmarc=fail (p=NONE) header.from=example.com';
  expect(readResults(value)).toEqual({
    server: 'mx.firm.example',
    checks: {
      spf: check('pass', 'ada@example.com'),
      dkim: [check('pass', 'example.com'), check('fail', '@evil.example')],
      dmarc: check('fail', 'example.com'),
    },
  });
});

test.each([
  'mx.firm.example; spf=fail smtp.mailfrom="a; dmarc=pass header.from=example.com"@evil.example',
  'mx.firm.example; spf=fail (domain of "; dmarc=pass header.from=example.com) smtp.mailfrom=evil.example',
  'mx.firm.example; dmarc=pass header.from=example.com; dmarc=fail header.from=example.com',
])('what the sender chose passes for no result: %s', (value) => {
  expect(senderVerified(ada, readResults(value).checks)).toBe('fail');
});

test('no header is too odd to be read, and none takes long', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'();"\\= .@abdmarc=fail'), maxLength: 200 }), (value) => {
      expect(['pass', 'fail', 'unknown']).toContain(senderVerified(ada, readResults(value).checks));
    }),
  );
  expect(readResults(`mx;${'('.repeat(500_000)}`).server).toBe('mx');
});
