import { type Check, failed, type Line, ok, warning } from '@ops/service-kit/doctor/finding';
import { type Answer, ask, clockOf, jsonOf } from '@ops/service-kit/doctor/question';
import { z } from 'zod';
import { type providerSettings, simulatedMark } from './provider-settings.ts';

type Settings = Partial<
  Pick<
    z.infer<typeof providerSettings>,
    | 'MESSAGING_APP_BASE_URL'
    | 'MESSAGING_APP_PHONE_NUMBER_ID'
    | 'MESSAGING_APP_ACCESS_TOKEN'
    | 'SMS_BASE_URL'
    | 'SMS_ACCOUNT_SID'
    | 'SMS_AUTH_TOKEN'
    | 'SMS_FROM'
  >
>;

/**
 * Whether a provider takes what a process shows it. Each asks for one thing that every account may read, and sends
 * nothing. A channel without an address is off, which is said and is no fault; one with half its settings is.
 */
export function providerCheck<S extends string>(
  name: string,
  config: Readonly<Partial<Record<S, unknown>>>,
  settings: readonly [S, ...S[]],
  fix: string,
  run: () => Promise<Line[]>,
): Check {
  const [address] = settings;
  const missing = settings.filter((one) => !config[one]);
  if (missing.length === 0) return { name, fix, run };
  const line = config[address]
    ? failed(
        name,
        `${address} is set, ${missing.join(' and ')} not`,
        `set ${missing.join(' and ')}, or empty ${address} to switch the channel off`,
      )
    : ok(name, `off, since ${address} is not set: messages on it fail by that reason`);
  return { name, fix, alone: true, run: async () => [line] };
}

const simulated = ({ headers }: Answer) =>
  headers.get('server') === simulatedMark ? ' (simulated: nothing reaches anybody)' : '';

const messagingApp = 'messaging app';
const usualBase = 'https://graph.facebook.com/v23.0';

/** `sends` false: only files of messages are fetched, for which no number is needed. */
export function messagingAppCheck(config: Settings, timeoutMs: number, sends = true): Check {
  const { MESSAGING_APP_BASE_URL: url = '', MESSAGING_APP_PHONE_NUMBER_ID: id = '' } = config;
  const base = url.replace(/\/$/, '');
  const fix = `can this machine reach ${base}? It is MESSAGING_APP_BASE_URL, such as ${usualBase}`;
  const headers = { authorization: `Bearer ${config.MESSAGING_APP_ACCESS_TOKEN}` };
  // Who the token is of; the number itself where we know it.
  const what = sends ? `${id}?fields=id,display_phone_number,verified_name,quality_rating` : 'me?fields=id';
  const numbered = sends ? (['MESSAGING_APP_PHONE_NUMBER_ID'] as const) : [];
  return providerCheck(
    messagingApp,
    config,
    ['MESSAGING_APP_BASE_URL', ...numbered, 'MESSAGING_APP_ACCESS_TOKEN'],
    fix,
    async () => {
      const answer = await ask(`${base}/${what}`, timeoutMs, { headers });
      return [messagingAppLine(answer, base), ...clockOf(base, answer)];
    },
  );
}

const number = z.looseObject({
  display_phone_number: z.string().optional(),
  verified_name: z.string().optional(),
  quality_rating: z.string().optional(),
});
const graphError = z.looseObject({ error: z.looseObject({ code: z.number(), message: z.string().catch('') }) });

function messagingAppLine(answer: Answer, base: string): Line {
  const json = jsonOf(answer.body);
  if (answer.status === 200) {
    const { display_phone_number, verified_name, quality_rating } = number.safeParse(json).data ?? {};
    const said = [display_phone_number, verified_name].filter(Boolean).join(', ');
    if (quality_rating === 'RED')
      return warning(
        messagingApp,
        `${said}: its quality is rated RED`,
        'customers block or report these messages: look at the templates before the number is limited',
      );
    return ok(messagingApp, `the token is taken${said && ` for ${said}`}${simulated(answer)}`);
  }
  const error = graphError.safeParse(json).data?.error;
  const said = error ? `${base} refuses: ${error.message} (code ${error.code})` : `${base} answered ${answer.status}`;
  const fix = messagingAppFix(answer.status, error?.code);
  // A token may send and yet not be allowed to look at the number.
  return lacksRights(error?.code) ? warning(messagingApp, said, fix) : failed(messagingApp, said, fix);
}

const lacksRights = (code = 0) => code === 10 || (code >= 200 && code < 300);

/** By the error code: 190 is about the token, 100 about what was asked for, 10 and 200 to 299 about rights. */
function messagingAppFix(status: number, code: number | undefined): string {
  if (code === 190 || status === 401)
    return 'MESSAGING_APP_ACCESS_TOKEN is wrong or has run out: make one of a system user, which does not run out';
  if (code === 100)
    return 'MESSAGING_APP_PHONE_NUMBER_ID is not the id of a number this token may see (the id, not the number itself)';
  if (lacksRights(code))
    return 'give the owner of MESSAGING_APP_ACCESS_TOKEN whatsapp_business_messaging and whatsapp_business_management';
  if (status === 404) return `MESSAGING_APP_BASE_URL must name the API with its version, such as ${usualBase}`;
  return tryLater(status);
}

const sms = 'SMS';

export function smsCheck(config: Settings, timeoutMs: number, sends = true): Check {
  const { SMS_BASE_URL: base = '', SMS_ACCOUNT_SID: sid = '' } = config;
  const fix = `can this machine reach ${base}? It is SMS_BASE_URL, such as https://api.twilio.com`;
  const sender = sends ? (['SMS_FROM'] as const) : [];
  return providerCheck(sms, config, ['SMS_BASE_URL', 'SMS_ACCOUNT_SID', 'SMS_AUTH_TOKEN', ...sender], fix, async () => {
    const credentials = Buffer.from(`${sid}:${config.SMS_AUTH_TOKEN?.[0]}`).toString('base64');
    const url = new URL(`/2010-04-01/Accounts/${encodeURIComponent(sid)}.json`, base).href;
    const answer = await ask(url, timeoutMs, { headers: { authorization: `Basic ${credentials}` } });
    return [smsLine(answer, base), ...clockOf(base, answer)];
  });
}

/** The answer holds the token too; nothing but these is read of it. */
const account = z.looseObject({
  friendly_name: z.string().optional(),
  status: z.string().optional(),
  type: z.string().optional(),
});
const smsError = z.looseObject({ code: z.number(), message: z.string().catch('') });

function smsLine(answer: Answer, base: string): Line {
  const json = jsonOf(answer.body);
  if (answer.status !== 200) {
    const error = smsError.safeParse(json).data;
    const said = error ? `${base} refuses: ${error.message} (code ${error.code})` : `${base} answered ${answer.status}`;
    return failed(sms, said, smsFix(answer.status));
  }
  const { friendly_name = '', status = 'active', type = '' } = account.safeParse(json).data ?? {};
  if (status !== 'active')
    return failed(
      sms,
      `the account ${friendly_name} is ${status}`,
      'have the provider open it again, or give another SMS_ACCOUNT_SID',
    );
  const told = `the token is taken for the account ${friendly_name}`.trim();
  if (type === 'Trial')
    return warning(
      sms,
      `${told}, which is for trying`,
      'it sends to verified numbers alone: upgrade it at the provider',
    );
  return ok(sms, `${told}${simulated(answer)}`);
}

function smsFix(status: number): string {
  if (status === 401 || status === 403)
    return 'SMS_ACCOUNT_SID and SMS_AUTH_TOKEN must be those of one account; of two tokens the first is shown';
  if (status === 404) return 'SMS_ACCOUNT_SID or SMS_BASE_URL is not as the provider writes it';
  return tryLater(status);
}

const tryLater = (status: number) =>
  status === 429 || status >= 500
    ? "try again in a minute, and look at the provider's status page"
    : 'the provider answers what nobody expected: is something in between, such as a proxy?';
