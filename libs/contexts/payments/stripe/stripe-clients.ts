import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import Stripe from 'stripe';
import { SETTINGS } from '#libs/kernel/app';
import { createLogger, type Settings } from '#libs/kernel/system';
import { ObservedOutages } from '#libs/kernel/telemetry';
import { observedHttpClient } from './observed-http-client.js';

/**
 * The maximum duration of a request to Stripe, in milliseconds. After this time the result of the request is unknown and must be queried.
 */
const TIMEOUT_MILLIS = 20_000;
const MOST_CLIENTS = 500;

/** Makes the clients of Stripe's API, one for each secret key. */
@Injectable()
export class StripeClients implements OnApplicationShutdown {
  private readonly clients = new LRUCache<string, Stripe>({ max: MOST_CLIENTS });
  private readonly outages: ObservedOutages;

  constructor(@Inject(SETTINGS) private readonly settings: Settings) {
    this.outages = new ObservedOutages('payment_gateway', createLogger('payments', settings.logLevel));
  }

  onApplicationShutdown(): void {
    this.outages.close();
  }

  /**
   * The client of a secret key. The client does not repeat failed requests, so that the caller first queries their effect. As an exception,
   * Stripe's library repeats a request once with the same idempotency key if its connection was closed.
   */
  clientOfKey(secretKey: string): Stripe {
    const known = this.clients.get(secretKey);
    if (known) return known;
    const { protocol, hostname, port } = new URL(this.settings.stripeApiUrl);
    const client = new Stripe(secretKey, {
      protocol: protocol === 'http:' ? 'http' : 'https',
      host: hostname,
      ...(port === '' ? {} : { port }),
      maxNetworkRetries: 0,
      timeout: TIMEOUT_MILLIS,
      telemetry: false,
      httpClient: observedHttpClient(this.outages),
      appInfo: { name: 'Countinghouse' },
    });
    this.clients.set(secretKey, client);
    return client;
  }
}
