import { killedAtRandomMoments } from './killing.ts';

const creates = Number(process.env.CHAOS_CREATES ?? 2_000);
const kills = Number(process.env.CHAOS_KILLS ?? 20);

killedAtRandomMoments({ bus: 'rabbitmq', creates, kills });
killedAtRandomMoments({ bus: 'postgres', creates, kills });
