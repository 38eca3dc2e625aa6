import { expect } from '@jest/globals';
import { answers, runs, shows, type Treatment } from './treatment.ts';

const integrating = 'docs/integrating.md';

export const providers: Treatment[] = [
  { of: [integrating, 'npm run secrets'], run: runs(({ out }) => expect(out).toContain('all are there')) },
  {
    of: [integrating, 'curl -s "localhost:8080/webhooks/messaging-app?hub.mode=subscribe'],
    run: runs(({ out }) => expect(out).toBe('1158')),
  },
  { of: [integrating, "printf 'From: demo@example.com"], run: runs() },
  {
    of: [integrating, 'curl -s "localhost:8080/ops/customers/C-2001/communications?filter=email"'],
    run: shows({
      type: 'EMAIL',
      direction: 'INBOUND',
      subject: 'My policy',
      body: expect.stringContaining('renewed?'),
    }),
  },
  {
    of: [integrating, 'curl -s localhost:8080/ops/customers/C-2001/communications'],
    run: answers({ type: 'EMAIL', direction: 'OUTBOUND', status: 'QUEUED' }),
  },
  {
    of: [integrating, 'curl -s "localhost:8080/ops/customers/C-2001/communications?direction=OUTBOUND"'],
    run: shows({ subject: 'A first message', status: 'SENT', failure: null }),
  },
  {
    of: [integrating, 'curl -s "$OIDC_TOKEN_URL"'],
    notRun: 'it asks an identity provider of the reader',
    check: async ({ type }, command) => expect(await type(`sh -n -c '${command}'`)).toMatchObject({ code: 0 }),
  },
  { of: [integrating, 'curl -s localhost:8080/ops/me'], run: answers({ role: 'automation' }) },
];
