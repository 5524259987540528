import { describe, expect, it } from '@jest/globals';
import { decide } from '#libs/kernel/testing';
import type { WebhookDetails, WebhookEvent } from './events.js';
import { webhookDecider } from './webhook.js';

const webhookId = 'wh_1';
const at = '2026-01-01T00:00:00.000Z';
const details: WebhookDetails = { url: 'https://hooks.example/in', events: ['invoice.paid'] };
const created: WebhookEvent = { type: 'WebhookCreated', data: { webhookId, at, ...details } };
const disabled: WebhookEvent = { type: 'WebhookDisabled', data: { webhookId, reason: 'failing' } };
const deleted: WebhookEvent = { type: 'WebhookDeleted', data: { webhookId } };

const { given } = decide(webhookDecider);

describe('creating an endpoint', () => {
  it('records its URL and its events', () => {
    given().when({ type: 'CreateWebhook', at, webhookId, details }).then(created);
  });

  it('does nothing if it already exists', () => {
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

  it('does nothing if nothing differs', () => {
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

  it('does nothing if it is already disabled', () => {
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

describe('rotating the secret of an endpoint', () => {
  const rotate = {
    type: 'RotateWebhookSecret',
    at,
    webhookId,
    secretId: 's_2',
    overlapSeconds: 86_400,
  } as const;
  const rotated = (secretId: string, previousUntil: string | null): WebhookEvent => ({
    type: 'WebhookSecretRotated',
    data: { webhookId, secretId, previousUntil },
  });
  const inADay = '2026-01-02T00:00:00.000Z';
  const ended: WebhookEvent = { type: 'WebhookPreviousSecretEnded', data: { webhookId } };

  it('lets both secrets sign for the requested time', () => {
    given(created).when(rotate).then(rotated('s_2', inADay));
    expect(given(created).state()).toMatchObject({ secretId: webhookId, previousSecret: null });
    expect(given(created, rotated('s_2', inADay)).state()).toMatchObject({
      secretId: 's_2',
      previousSecret: { secretId: webhookId, until: inADay },
    });
  });

  it('ends the secret at once without an overlap', () => {
    given(created)
      .when({ ...rotate, overlapSeconds: 0 })
      .then(rotated('s_2', null));
    expect(given(created, rotated('s_2', null)).state()).toMatchObject({
      secretId: 's_2',
      previousSecret: null,
    });
  });

  it('is refused while two secrets sign, unless it ends both', () => {
    const twice = { ...rotate, secretId: 's_3' };
    const under = given(created, rotated('s_2', inADay));
    under.when(twice).refused('secret_rotation_under_way');
    under.when({ ...twice, overlapSeconds: 0 }).then(rotated('s_3', null));
    under.when({ ...twice, at: inADay }).then(rotated('s_3', '2026-01-03T00:00:00.000Z'));
    given(created, rotated('s_2', inADay), ended).when(twice).then(rotated('s_3', inADay));
  });

  it('can be completed ahead of time', () => {
    const end = { type: 'EndPreviousWebhookSecret', webhookId } as const;
    given(created, rotated('s_2', inADay)).when(end).then(ended);
    given(created).when(end).then();
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
