import { Agent } from 'node:http';
import express from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { listen } from './listening.ts';

/** The least that stands in front of a service: it asks nobody anything. */
const app = express();
app.use(createProxyMiddleware({ target: process.env.TARGET ?? '', agent: new Agent({ keepAlive: true }) }));

listen(app);
