import type { OutsideType } from '@ops/contracts/resources/communication';
import type { Config } from '../config.ts';
import { createCloudApiSender } from './cloud-api/cloud-api-sender.ts';
import type { Sender } from './sender.ts';
import { createSmtpSender } from './smtp/smtp-sender.ts';
import { createTwilioSender } from './twilio/twilio-sender.ts';

type Senders = Partial<Record<OutsideType, Sender>>;

/** A sender for each channel whose settings are all there. */
export function configuredSenders(config: Config, now: () => Date): Senders {
  const timeoutMs = config.SENDING_TIMEOUT_SECONDS * 1000;
  return { ...messagingApp(config, timeoutMs, now), ...sms(config, timeoutMs, now), ...email(config, timeoutMs) };
}

function messagingApp(config: Config, timeoutMs: number, now: () => Date): Senders {
  const { MESSAGING_APP_BASE_URL: baseUrl, MESSAGING_APP_PHONE_NUMBER_ID: phoneNumberId } = config;
  const { MESSAGING_APP_ACCESS_TOKEN: accessToken, MESSAGING_APP_TEMPLATES: templates } = config;
  const { MESSAGING_APP_ALERT_TEMPLATES: alertTemplates } = config;
  if (!baseUrl || !phoneNumberId || !accessToken) return {};
  const settings = { baseUrl, phoneNumberId, accessToken, templates, alertTemplates, timeoutMs };
  return { MESSAGING_APP: createCloudApiSender(settings, now) };
}

function sms(config: Config, timeoutMs: number, now: () => Date): Senders {
  const { SMS_BASE_URL: baseUrl, SMS_ACCOUNT_SID: accountSid, SMS_FROM: from, PUBLIC_URL: publicUrl } = config;
  const authToken = config.SMS_AUTH_TOKEN?.[0];
  if (!baseUrl || !accountSid || !authToken || !from) return {};
  return { SMS: createTwilioSender({ baseUrl, accountSid, authToken, from, publicUrl, timeoutMs }, now) };
}

function email({ SMTP_URL: url, EMAIL_FROM: from }: Config, timeoutMs: number): Senders {
  return url && from ? { EMAIL: createSmtpSender({ url, from, timeoutMs }) } : {};
}
