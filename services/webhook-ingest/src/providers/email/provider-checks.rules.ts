import type { Form } from './form-reader.ts';
import { readResults } from './mail/authentication-results.rules.ts';
import { allValues, firstValue, type Mail } from './mail/mail.rules.ts';
import type { Checks } from './mail/sender-verified.rules.ts';

/**
 * Of a server of our own, by the topmost header that bears its name: it removes those that a sender wrote in its name, and
 * whatever other servers say anybody could have written.
 */
export function ownServersChecks(authservId: string | undefined, mail: Mail): Checks {
  if (!authservId) return { dkim: [] };
  const results = allValues(mail, 'authentication-results').map(readResults);
  return results.find(({ server }) => server === authservId.toLowerCase())?.checks ?? { dkim: [] };
}

/** Mailgun's words are headers of the mail and fields of the form. Were one forged, the worse one would count. */
export function mailgunChecks(form: Form, mail: Mail): Checks {
  const said = (name: string) => {
    const fields = form.fields.filter((field) => field.name.toLowerCase() === name);
    return [...fields.map(({ bytes }) => bytes.toString()), ...allValues(mail, name)].map((word) => word.toLowerCase());
  };
  const spf = said('x-mailgun-spf');
  const dkim = said('x-mailgun-dkim-check-result');
  const signers = new Set(
    allValues(mail, 'dkim-signature').map((value) => /(?:^|;)\s*d\s*=\s*([^;\s]+)/.exec(value)?.[1]),
  );
  const [signer] = signers.size === 1 ? signers : [];
  return {
    spf: one(spf.includes('fail') ? 'fail' : spf[0], form.text('sender')),
    // Which of several signatures was looked at is not said.
    dkim: dkim.length > 0 && dkim.every((word) => word === 'pass') ? [{ result: 'pass', domain: signer }] : [],
  };
}

/** `{@example.com : pass, @example.org : fail}`, and SPF for who handed the mail in. */
export function sendgridChecks(form: Form, envelopeSender: string | null): Checks {
  const pairs = [...(form.text('dkim') ?? '').matchAll(/@([^\s:,{}]+)\s*:\s*(\w+)/g)];
  return {
    spf: one(form.text('SPF')?.trim().toLowerCase(), envelopeSender ?? undefined),
    dkim: pairs.map(([, domain, result = '']) => ({ result: result.toLowerCase(), domain })),
  };
}

/** Postmark puts what SpamAssassin found, and `Received-SPF`, above all that came with the mail. */
export function postmarkChecks(mail: Pick<Mail, 'headers'>, from: string | undefined): Checks {
  const tests = new Set((firstValue(mail, 'x-spam-tests') ?? '').split(/[\s,]+/));
  const dmarcFailed = ['DMARC_REJECT', 'DMARC_QUAR', 'DMARC_NONE'].some((test) => tests.has(test));
  const received = firstValue(mail, 'received-spf') ?? '';
  const [word] = /^[a-z]+/i.exec(received) ?? [tests.has('SPF_FAIL') ? 'fail' : undefined];
  const [, handedInBy] = /\benvelope-from="?([^\s;"]+)/i.exec(received) ?? [];
  return {
    dmarc: one(dmarcFailed ? 'fail' : tests.has('DMARC_PASS') ? 'pass' : undefined, from),
    spf: one(word?.toLowerCase(), handedInBy),
    dkim: tests.has('DKIM_VALID_AU') ? [{ result: 'pass', domain: from }] : [],
  };
}

const one = (result: string | undefined, domain: string | undefined) =>
  result === undefined ? undefined : { result, domain };
