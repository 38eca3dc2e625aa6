/** What every system of a test believes of who calls it, so that a suite can sign as each provider does. */
export const providerSecrets = {
  MESSAGING_APP_APP_SECRET: 'app-secret-of-this-test',
  MESSAGING_APP_VERIFY_TOKEN: 'verify-token-of-this-test',
  SMS_AUTH_TOKEN: 'auth-token-of-this-test',
  EMAIL_POSTMARK_BASIC_AUTH: 'postmark:password-of-this-test',
  EMAIL_SENDGRID_BASIC_AUTH: 'sendgrid:password-of-this-test',
  EMAIL_MIME_BASIC_AUTH: 'mime:password-of-this-test',
  EMAIL_MAILGUN_SIGNING_KEY: 'signing-key-of-this-test',
};
