import { anExpiryDateIsWatched } from './renewals.ts';

anExpiryDateIsWatched('postgres');
