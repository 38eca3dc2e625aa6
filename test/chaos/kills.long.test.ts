import { killedAtRandomMoments } from './killing.ts';

const creates = Number(process.env.CHAOS_CREATES ?? 1_200);
const kills = Number(process.env.CHAOS_KILLS ?? 12);

killedAtRandomMoments({ bus: 'rabbitmq', creates, kills });
killedAtRandomMoments({ bus: 'postgres', creates, kills });
