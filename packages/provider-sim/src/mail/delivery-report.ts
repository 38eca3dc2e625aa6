import { randomUUID } from 'node:crypto';
import type { Person, SentMessage } from '../message.ts';

/** What a mail server sends back to who sent a mail that cannot be delivered (RFC 3464). */
export function deliveryReport(message: SentMessage, person: Person, to: string, code: number, at: Date): Buffer {
  const boundary = `report-${message.id}`;
  const parts = [
    ['text/plain; charset=utf-8', `Your message to ${person.email} could not be delivered.\r\n`],
    ['message/delivery-status', status(String(person.email), code)],
    ['text/rfc822-headers', `Message-ID: ${message.external_id}\r\nTo: ${person.email}\r\n`],
  ].map(([type, text]) => `--${boundary}\r\nContent-Type: ${type}\r\n\r\n${text}\r\n`);
  return Buffer.from(`${head(to, boundary, at)}\r\n${parts.join('')}--${boundary}--\r\n`);
}

const head = (to: string, boundary: string, at: Date) =>
  `Return-Path: <>
From: Mail Delivery System <mailer-daemon@mail.example.com>
To: ${to}
Subject: Undelivered Mail Returned to Sender
Message-ID: <${randomUUID()}@mail.example.com>
Date: ${at.toUTCString().replace('GMT', '+0000')}
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="${boundary}"
`.replaceAll('\n', '\r\n');

const status = (address: string, code: number) =>
  `Reporting-MTA: dns; mail.example.com

Final-Recipient: rfc822; ${address}
Action: failed
Status: ${code >= 500 ? '5.1.1' : '4.2.2'}
Diagnostic-Code: smtp; ${code} Mailbox unavailable
`.replaceAll('\n', '\r\n');
