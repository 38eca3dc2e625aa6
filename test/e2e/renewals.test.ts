import { anExpiryDateIsWatched } from './renewals.ts';

anExpiryDateIsWatched('rabbitmq');
