import { smsFailure } from '@ops/providers/sms-failure.rules';
import { attemptId } from '../attempt-id.rules.ts';
import { digestOf } from '../digest.ts';
import type { Item, RawRequest, Reading, ReceiptData } from '../provider.ts';
import { readInbound, readRefusal } from './inbound.rules.ts';

type Request = Pick<RawRequest, 'path' | 'receivedAt' | 'body'>;

const receipts: Record<string, ReceiptData['status']> = {
  sent: 'SENT',
  delivered: 'DELIVERED',
  read: 'READ',
  failed: 'FAILED',
  undelivered: 'FAILED',
};

/** Both what somebody sent us and what became of what we sent come to the same address. */
export function readCallback(form: URLSearchParams | undefined, request: Request): Reading {
  const sid = form && (form.get('MessageSid') || form.get('SmsSid') || form.get('SmsMessageSid'));
  if (!form || !sid) return { items: [aside('It names no message', 'unnamed', digestOf(request.body))], parts: [] };
  return { items: readItems(form, sid, request), parts: [] };
}

function readItems(form: URLSearchParams, sid: string, request: Request): Item[] {
  const status = form.get('MessageStatus') || form.get('SmsStatus') || 'received';
  if (status === 'received' || status === 'receiving') return [readInbound(form, sid, request.receivedAt)];
  const receipt = Object.hasOwn(receipts, status) ? receipts[status] : undefined;
  if (receipt === undefined) return [aside(`${status} is no receipt`, 'status', `${sid}:${status}`)];
  return [{ receipt: readReceipt(form, sid, receipt, request) }, ...readRefusal(form, sid, request.receivedAt)];
}

function readReceipt(
  form: URLSearchParams,
  sid: string,
  status: ReceiptData['status'],
  { path, receivedAt }: Request,
): ReceiptData {
  return {
    provider: 'twilio',
    account: form.get('From') || form.get('MessagingServiceSid') || form.get('AccountSid') || '',
    external_id: sid,
    attempt_id: attemptId(new URLSearchParams(path.split('?')[1]).get('attempt')),
    status,
    occurred_at: receivedAt.toISOString(),
    failure: status === 'FAILED' ? failureOf(form) : null,
  };
}

const failureOf = (form: URLSearchParams): ReceiptData['failure'] =>
  smsFailure(form.get('ErrorCode') || undefined, form.get('ErrorMessage') ?? undefined);

const aside = (notUnderstood: string, kind: string, external_id: string): Item => ({
  notUnderstood,
  kind,
  external_id,
});
