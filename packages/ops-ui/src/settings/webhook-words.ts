import type { WebhookDelivery } from '../api/types.ts';

export const providerNames: Record<WebhookDelivery['provider'], string> = {
  'cloud-api': 'Messaging app',
  twilio: 'Twilio',
  postmark: 'Postmark',
  mailgun: 'Mailgun',
  sendgrid: 'SendGrid',
  mime: 'E-mail as it came',
};

export const outcomeWords: Record<WebhookDelivery['outcome'], string> = {
  processed: 'Taken in',
  partly: 'Partly understood',
  not_understood: 'Not understood',
  duplicate: 'Had come before',
};
