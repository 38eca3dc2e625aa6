import { expect, test } from '@jest/globals';
import { staff, startTestService } from '../../test/service.ts';

test.each([
  [{ MESSAGING_APP_TEMPLATES: 'general_note:en, aviso_geral:pt_BR', MESSAGING_APP_ALERT_TEMPLATES: 'expiry:en' }, 2],
  [{}, 0],
])('the templates for what people write are listed as they are configured: %j', async (settings, count) => {
  const service = await startTestService(settings);
  const all = [
    { name: 'general_note', language: 'en' },
    { name: 'aviso_geral', language: 'pt_BR' },
  ];
  const answer = await service.get(staff, '/ops/messaging-templates');
  await service.close();
  expect(answer).toMatchObject({ status: 200, body: { data: all.slice(0, count) } });
});
