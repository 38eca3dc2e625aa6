import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Attachment, mostAttachmentBytes } from '@ops/contracts/resources/communication';
import { type System, sharedSystem } from '@ops/test-system/system';

let system: System;
let staff: Awaited<ReturnType<System['client']>>;

beforeAll(async () => {
  system = await sharedSystem('postgres');
  staff = await system.client('staff');
  await staff.put('/ops/customers/C-files', { name: 'Demo Customer', emails: ['files@example.com'] });
});
afterAll(() => system?.stop());

const upload = async (content: Buffer, name: string, mediaType: string) =>
  staff.request('POST', `/ops/customers/C-files/attachments?name=${name}`, {
    body: content,
    headers: { 'content-type': mediaType },
  });

/** As a browser would get it. */
async function download(id: string) {
  const headers = { authorization: `Bearer ${await system.token('staff')}` };
  const response = await fetch(`${system.gatewayUrl}/ops/attachments/${id}`, { headers });
  return { response, content: Buffer.from(await response.arrayBuffer()) };
}

const digest = (content: Buffer) => createHash('sha256').update(content).digest('hex');

test('the largest file goes through the gateway and back byte for byte, and one byte more is refused', async () => {
  const content = randomBytes(mostAttachmentBytes);
  const { status, body } = await upload(content, 'scan.bin', 'application/octet-stream');
  expect(status).toBe(201);
  const back = await download((body as Attachment).id);
  expect(digest(back.content)).toBe(digest(content));
  const tooMuch = await upload(Buffer.alloc(mostAttachmentBytes + 1), 'scan.bin', 'application/octet-stream');
  expect(tooMuch.status).toBe(413);
});

test('the headers that keep a file harmless reach the browser, whatever the gateway sets for its pages', async () => {
  const { body } = await upload(Buffer.from('<script>alert(1)</script>'), 'page.html', 'text/html');
  const { response } = await download((body as Attachment).id);
  const header = (name: string) => response.headers.get(name);
  expect(header('content-type')).toBe('application/octet-stream');
  expect(header('content-disposition')).toBe('attachment; filename=page.html');
  expect(header('content-security-policy')).toBe("default-src 'none'; sandbox");
  expect(header('x-content-type-options')).toBe('nosniff');
});
