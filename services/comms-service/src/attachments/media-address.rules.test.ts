import { expect, test } from '@jest/globals';
import { isPublic, judge, type MediaRules } from './media-address.rules.ts';

const rules: MediaRules = {
  baseUrl: 'https://graph.example.com/v23.0',
  hosts: ['lookaside.example.com', 'media.example.com'],
  credentialHosts: ['lookaside.example.com'],
};

test.each([
  ['https://graph.example.com/v23.0/1', { credentials: true, publicOnly: false }],
  ['https://lookaside.example.com/f?id=1', { credentials: true, publicOnly: true }],
  ['https://media.example.com/f', { credentials: false, publicOnly: true }],
  ['https://MEDIA.example.com/f', { credentials: false, publicOnly: true }],
])('%s is asked', (url, judged) => {
  expect(judge(new URL(url), rules)).toEqual(judged);
});

test.each([
  'http://graph.example.com/v23.0/1',
  'https://graph.example.com:8443/1',
  'http://media.example.com/f',
  'https://media.example.com:8443/f',
  'https://media.example.com./f',
  'https://media.example.com.evil.example/f',
  'https://evil.example/media.example.com',
  'https://media.example.com@evil.example/f',
  'https://user:secret@media.example.com/f',
  'https://user@graph.example.com/f',
  'https://169.254.169.254/latest',
  'https://[::1]/f',
  'ftp://media.example.com/f',
  'file:///etc/passwd',
  'data:text/plain,hello',
])('%s is never asked', (url) => {
  expect(judge(new URL(url), rules)).toBeUndefined();
});

test('an address that stands for itself is never asked, not even when somebody listed it', () => {
  const listed = { ...rules, hosts: ['192.0.2.1', '[2606:4700::1111]'] };
  for (const url of ['https://192.0.2.1/f', 'https://[2606:4700::1111]/f'])
    expect(judge(new URL(url), listed)).toBeUndefined();
});

test("the provider's own address may lie in our network, at its own port alone", () => {
  const local = { ...rules, baseUrl: 'http://127.0.0.1:4010/v23.0' };
  expect(judge(new URL('http://127.0.0.1:4010/media/1'), local)).toEqual({ credentials: true, publicOnly: false });
  expect(judge(new URL('http://127.0.0.1:5432/'), local)).toBeUndefined();
});

test.each([
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '169.254.169.254',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.7',
  '203.0.113.9',
  '192.0.0.8',
  '192.88.99.1',
  '198.19.255.255',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::7f00:1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::1',
  '::ffff:0:127.0.0.1',
  '4000::1',
  '5f00::1',
  '100::1',
  'fc00::1',
  'fd12::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  '2001:db8::1',
  '2001::1',
  '2001:1ff::1',
  '2001:10::1',
  '2002:7f00:1::',
  '3fff::1',
  'localhost',
  '8.8',
  '0x08080808',
  '010.8.8.8',
  '',
])('%s is not public', (address) => {
  expect(isPublic(address)).toBe(false);
});

test.each(['8.8.8.8', '172.15.0.1', '172.32.0.1', '100.63.0.1', '223.255.255.1', '2606:4700::1111', '2a03:2880::1'])(
  '%s is public',
  (address) => {
    expect(isPublic(address)).toBe(true);
  },
);
