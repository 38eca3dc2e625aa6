import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createTwilio } from './twilio-provider.ts';
import { isSignedBy, verify } from './twilio-signature.ts';

/** Signatures calculated with another program, from Twilio's description alone. */
const url = 'https://ops.example.com/webhooks/sms';
const form = new URLSearchParams({ Body: 'Hi there', From: '+447700900123', Empty: '' }).toString();
const signature = '8xgCCVVf1+tdJ92rhe8orA6ohSE=';
const signed = (by: string, address = url, body = form) => isSignedBy('tok-1', by, address, Buffer.from(body));

describe('signed', () => {
  test.each([
    ['as it is called', url, signature],
    ['with the usual port', url, 'IdfQBR6INVchgGa4VoR+iGJqx70='],
    ['without the port it is called by', 'https://ops.example.com:8443/webhooks/sms', signature],
    ['with an unusual port', 'https://ops.example.com:8443/webhooks/sms', 'jto6XZVJRDN33J3PUJxtz5Fak5E='],
    ['plain, with its usual port', 'http://ops.example.com/webhooks/sms', 'llWHf2y8rfRZPgNvbejbS5QDUfQ='],
    ['with a password', 'https://user:pw@ops.example.com/webhooks/sms', '8i6e6AoAGVPFreZsaSIXlIJawCk='],
    ['with an apostrophe, encoded', `${url}?who=it's+me`, 'Chwbrx266BcpBMa5nDlF8gXWLho='],
    ['with its query encoded the old way', `${url}?who=it's+me`, 'r92GqjeNzlNdW9RHkyIUhQrXH48='],
  ])('%s', (_, address, given) => {
    expect(signed(given, address)).toBe(true);
  });

  test('a name given more than once counts by its values, each once and in order', () => {
    const twice = 'To=%2B447700900001&To=%2B447700900002&To=%2B447700900001';
    expect(signed('tiaLNhxpWHNhsDxv0GwM6qY68ss=', url, twice)).toBe(true);
  });

  test('text beyond ASCII, with a line break', () => {
    const body = new URLSearchParams({ Body: 'Grüße 👋\n' }).toString();
    expect(signed('oiyG9uPU6R4INn3Zl+8a5C5Ev4k=', url, body)).toBe(true);
  });

  test('JSON, whose digest stands in the address', () => {
    const digest = 'f9d86028c6e0d64e225186f96acb69338b2c59764df79162107f5c4bb34d1310';
    const address = `${url}?bodySHA256=${digest}`;
    expect(signed('GuhaazH0PH4xd6hJCWHSRVj3vEs=', address, '{"a": 1}')).toBe(true);
    expect(signed('GuhaazH0PH4xd6hJCWHSRVj3vEs=', address, '{"a": 2}')).toBe(false);
  });
});

describe('refused', () => {
  test.each([
    ['one field more', url, `${form}&More=1`],
    ['one field less', url, form.replace('&Empty=', '')],
    ['a field changed', url, form.replace('Hi', 'Ho')],
    ['another path', `${url}/`, form],
    ['a query nobody signed', `${url}?attempt=1`, form],
    ['another host', url.replace('ops', 'spo'), form],
    ['a form of a hundred thousand fields', url, `${form}${'&a=1'.repeat(100_000)}`],
  ])('%s', (_, address, body) => {
    expect(signed(signature, address, body)).toBe(false);
  });

  test('whatever else is given for a signature, and never by throwing', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (given) => !signed(given)));
    for (const given of [signature.slice(0, -1), signature.toLowerCase(), ` ${signature}`, `${signature},${signature}`])
      expect(signed(given)).toBe(false);
  });

  const request = (headers: Record<string, string>) => ({
    method: 'POST' as const,
    path: '/webhooks/sms',
    headers,
    body: Buffer.from(form),
    receivedAt: new Date(),
  });
  const headers = { 'x-twilio-signature': signature };

  test('everything, until a token and our public address are set', () => {
    const publicUrl = 'https://ops.example.com';
    expect(verify(request(headers), ['tok-1'], publicUrl)).toEqual({ ok: true });
    expect(verify(request(headers), ['old', 'tok-1'], `${publicUrl}/`)).toEqual({ ok: true });
    for (const [given, tokens, address] of [
      [headers, [], publicUrl],
      [headers, ['tok-1'], undefined],
      [{}, ['tok-1'], publicUrl],
    ] as const)
      expect(verify(request(given), tokens, address)).toMatchObject({ ok: false });
    const told = (authTokens: string[] | undefined, url?: string) =>
      createTwilio({ authTokens, publicUrl: url }).turnsAway(headers);
    expect(told(undefined, publicUrl)).toBe('SMS_AUTH_TOKEN is not set');
    expect(told(['tok-1'])).toBe('PUBLIC_URL is not set');
    expect(told(['tok-1'], publicUrl)).toBeUndefined();
  });
});
