import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/testing';
import type { WebhookDetails, WebhookEvent } from './events.js';
import { webhookDecider } from './webhook.js';

const webhookId = 'wh_1';
const at = '2026-01-01T00:00:00.000Z';
const details: WebhookDetails = { url: 'https://hooks.example/in', events: ['invoice.paid'] };
const created: WebhookEvent = { type: 'WebhookCreated', data: { webhookId, createdAt: at, ...details } };
const disabled: WebhookEvent = { type: 'WebhookDisabled', data: { webhookId, reason: 'failing' } };
const deleted: WebhookEvent = { type: 'WebhookDeleted', data: { webhookId } };

const { given } = decide(webhookDecider);

describe('creating an endpoint', () => {
  it('records where it is and what it wants to hear', () => {
    given().when({ type: 'CreateWebhook', at, webhookId, details }).then(created);
  });

  it('leads to nothing when it is there already', () => {
    given(created).when({ type: 'CreateWebhook', at, webhookId, details }).then();
  });
});

describe('changing an endpoint', () => {
  it('records only what differs', () => {
    given(created)
      .when({ type: 'ChangeWebhook', webhookId, changes: { ...details, events: ['*'] } })
      .then({ type: 'WebhookChanged', data: { webhookId, events: ['*'] } });
    given(created).when({ type: 'ChangeWebhook', webhookId, changes: details }).then();
  });

  it('turns it off and on', () => {
    given(created)
      .when({ type: 'ChangeWebhook', webhookId, changes: { enabled: false } })
      .then({ type: 'WebhookDisabled', data: { webhookId, reason: 'requested' } });
    given(created, disabled)
      .when({
        type: 'ChangeWebhook',
        webhookId,
        changes: { url: 'https://hooks.example/new', enabled: true },
      })
      .then(
        { type: 'WebhookChanged', data: { webhookId, url: 'https://hooks.example/new' } },
        { type: 'WebhookEnabled', data: { webhookId } },
      );
  });

  it('leads to nothing when it is as asked already', () => {
    given(created)
      .when({ type: 'ChangeWebhook', webhookId, changes: { enabled: true } })
      .then();
    given(created, disabled)
      .when({ type: 'ChangeWebhook', webhookId, changes: { enabled: false } })
      .then();
  });
});

describe('giving up on an endpoint', () => {
  it('disables it and says why', () => {
    given(created).when({ type: 'GiveUpOnWebhook', webhookId }).then(disabled);
    expect(given(created, disabled).state()).toMatchObject({ enabled: false, disabledReason: 'failing' });
  });

  it('leads to nothing when it is disabled already', () => {
    given(created, disabled).when({ type: 'GiveUpOnWebhook', webhookId }).then();
  });
});

describe('testing an endpoint', () => {
  it('is recorded, of a disabled one too', () => {
    const requested: WebhookEvent = {
      type: 'WebhookTestRequested',
      data: { webhookId, deliveryId: 'evt_1' },
    };
    given(created).when({ type: 'TestWebhook', webhookId, deliveryId: 'evt_1' }).then(requested);
    given(created, disabled).when({ type: 'TestWebhook', webhookId, deliveryId: 'evt_1' }).then(requested);
  });
});

describe('a deleted endpoint', () => {
  it('is not found by any command', () => {
    given(created).when({ type: 'DeleteWebhook', webhookId }).then(deleted);
    for (const command of [
      { type: 'DeleteWebhook', webhookId },
      { type: 'ChangeWebhook', webhookId, changes: {} },
      { type: 'GiveUpOnWebhook', webhookId },
      { type: 'TestWebhook', webhookId, deliveryId: 'evt_1' },
    ] as const) {
      given(created, deleted).when(command).refused('webhook_not_found');
      given().when(command).refused('webhook_not_found');
    }
  });
});
