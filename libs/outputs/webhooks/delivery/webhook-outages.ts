import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { SETTINGS } from '#libs/kernel/app';
import { PausedQueueStore } from '#libs/kernel/saga';
import { createLogger, type Settings } from '#libs/kernel/system';
import { OutageLog, type OutageFacts } from '#libs/kernel/telemetry';

/** The name of the process manager whose queues are the endpoints. */
const PROCESS = 'webhooks';

/** Tells operators when the deliveries to an endpoint are paused, and when they go on. The pauses are stored, so all processes know them. */
@Injectable()
export class WebhookOutages implements OnApplicationShutdown {
  private readonly log: OutageLog;
  private readonly stopObserving: () => void;

  constructor(queues: PausedQueueStore, @Inject(SETTINGS) { logLevel }: Settings) {
    this.log = new OutageLog('webhook', createLogger('webhooks', logLevel));
    this.stopObserving = this.log.observe(() => queues.countPaused(PROCESS));
  }

  reportBegin(facts: OutageFacts): void {
    this.log.reportBegin(facts);
  }

  reportEnd(facts: OutageFacts): void {
    this.log.reportEnd(facts);
  }

  onApplicationShutdown(): void {
    this.stopObserving();
  }
}
