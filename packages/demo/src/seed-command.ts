import type { Role } from '@ops/contracts/roles';
import { loadConfig } from '@ops/service-kit/config';
import { runCommand } from '@ops/service-kit/lifecycle';
import { seedConfig } from './config.ts';
import { demoPeople } from './demo-data.ts';
import { requestToken } from './request-token.ts';
import { seedDemo } from './seed.ts';
import { seedFirm } from './seed-firm.ts';

await runCommand('demo-seed', async (logger) => {
  const { GATEWAY_URL, SIMULATOR_URL, DEV_IDP_URL, DATA_DIR, ...client } = loadConfig(seedConfig);
  if (SIMULATOR_URL) await introduceAll(SIMULATOR_URL);
  const tokenClient = { id: client.TOKEN_CLIENT_ID, secret: client.TOKEN_CLIENT_SECRET };
  const getToken = (role: Role) => requestToken(DEV_IDP_URL, tokenClient, role);
  const seeding = { gatewayUrl: GATEWAY_URL, simulatorUrl: SIMULATOR_URL, dataDir: DATA_DIR, getToken };
  const there = await seedDemo(seeding);
  if (there !== undefined) await seedFirm(seeding, there);
  logger.info('the demo customers are there');
});

async function introduceAll(simulatorUrl: string): Promise<void> {
  for (const { name, phones, emails } of demoPeople) {
    const [phone, email] = [phones[0], emails[0]];
    const response = await fetch(`${simulatorUrl}/sim/people`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name, phone, email }),
    });
    if (!response.ok) throw new Error(`the simulated providers answered ${response.status}: ${await response.text()}`);
  }
}
