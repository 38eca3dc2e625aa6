import type { Running } from '@ops/service-kit/lifecycle';
import { startService } from '@ops/service-kit/service';
import type { Config } from './config.ts';
import { topology } from './topology.ts';

const migrations = new URL('../migrations/', import.meta.url);

export const compose = (config: Config): Promise<Running> => startService({ topology, config, migrations });
