import { expect, test } from '@jest/globals';
import { mailOf, multipart, read } from '../../../../test/mails.ts';

const ours = '<0199b3c0-1111-7222-8333-444455556666@firm.example>';

const complaint = (report: string, id: string) =>
  mailOf(
    { From: 'feedback@example.net', 'Content-Type': 'multipart/report; report-type=feedback-report; boundary=limit' },
    multipart(
      '\r\nThis is a report about a mail from 192.0.2.1.',
      `Content-Type: message/feedback-report\r\n\r\n${report}`,
      `Content-Type: message/rfc822\r\n\r\nSubject: Permit\r\nMessage-ID: ${id}\r\n\r\nDear Ada`,
    ),
  );
const abuse = 'Feedback-Type: abuse\r\nUser-Agent: Demo/1\r\nVersion: 1\r\nOriginal-Rcpt-To: <Ada@Example.com>\r\n';

test('a complaint about a mail of ours is a message, and a wish of whose mailbox it was', async () => {
  const { items } = await read(complaint(abuse, ours));
  expect(items).toMatchObject([
    { message: { kind: 'message', sender: { email: 'feedback@example.net' }, opted_out: null } },
    {
      message: {
        kind: 'preference',
        channel: 'EMAIL',
        sender: { email: expect.stringMatching(/^ada@example\.com$/i) },
        opted_out: true,
        answers: { external_ids: [ours] },
      },
    },
  ]);
});

test.each([
  ['about a mail of somebody else', complaint(abuse, '<m-9@example.com>')],
  ['that names no mailbox', complaint(abuse.replace(/Original.*\r\n/, ''), ours)],
  ['of a machine that takes it for no spam', complaint(abuse.replace('abuse', 'not-spam'), ours)],
])('a report %s is a message alone', async (_, mail) => {
  expect((await read(mail)).items).toMatchObject([{ message: { kind: 'message' } }]);
});
