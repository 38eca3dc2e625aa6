import { onRabbitMq } from './rabbitmq.ts';
import { volumeSuite } from './suite.ts';

volumeSuite(onRabbitMq());
