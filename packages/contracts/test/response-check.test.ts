import { expect, test } from '@jest/globals';
import { checkResponse, type SeenResponse } from './response-check.ts';

const seen = (given: Partial<SeenResponse>, contentType = 'application/json'): SeenResponse => ({
  method: 'PATCH',
  path: '/ops/customers/C-1/communications/read',
  status: 200,
  headers: new Headers({ 'content-type': contentType, 'x-request-id': 'r-1' }),
  body: { customer_id: 'C-1', marked_read: 1, unread_count: 0 },
  ...given,
});
const problem = { type: 'about:blank', title: 'Not Found', status: 404, code: 'not_found', request_id: 'r-1' };
const refused = (given: Partial<SeenResponse>) =>
  seen({ status: 404, body: problem, ...given }, 'application/problem+json');

test('an answer as the document promises passes, a refusal of an unknown path too', () => {
  expect(() => checkResponse(seen({}))).not.toThrow();
  expect(() => checkResponse(refused({}))).not.toThrow();
  expect(() => checkResponse(refused({ path: '/ops/nothing' }))).not.toThrow();
});

test.each([
  ['a missing field', seen({ body: { customer_id: 'C-1', marked_read: 1 } }), /unread_count/],
  ['another type', seen({ body: { customer_id: 'C-1', marked_read: 'one', unread_count: 0 } }), /marked_read/],
  ['an undocumented status', seen({ status: 204 }), /not in the OpenAPI document/],
  ['an undocumented path', seen({ path: '/ops/nothing' }), /not in the OpenAPI document/],
  ['an undocumented media type', seen({}, 'text/html'), /not in the OpenAPI document/],
  [
    'an error that is no problem',
    seen({ path: '/ops/nothing', status: 404, body: 'no' }, 'text/plain'),
    /not as a problem/,
  ],
  ['a problem of another status', refused({ body: { ...problem, status: 500 } }), /its problem says 500/],
  ['a problem of another request', refused({ body: { ...problem, request_id: 'r-2' } }), /two requests/],
])('%s fails', (_, answer, message) => {
  expect(() => checkResponse(answer)).toThrow(message);
});
