import express from 'express';
import { listen } from './listening.ts';

/** The least that a process of ours could be. */
const app = express();
app.get('/', (_req, res) => void res.send('hello'));

listen(app);
