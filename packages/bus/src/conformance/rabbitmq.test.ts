import { onRabbitMq } from './rabbitmq.ts';
import { conformanceSuite } from './suite.ts';

conformanceSuite(onRabbitMq());
