import { killedAtRandomMoments } from './killing.ts';

killedAtRandomMoments({ bus: 'rabbitmq', creates: 300, kills: 6 });
