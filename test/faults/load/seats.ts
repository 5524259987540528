import type { Random } from './random.ts';
import { expectStatus, repetitions, type Extent } from './sending.ts';
import { LICENSE_TYPE, type Workspace } from './workspace.ts';

/** A customer with licenses, and which of them are active. */
export interface Team {
  customerId: string;
  licenseIds: string[];
}

const FIRST_SEATS = 2;
const MORE_SEATS = [1, 3] as const;

/** A customer comes, allocates licenses, and subscribes to a price for them. */
export async function beginTeam(workspace: Workspace): Promise<Team> {
  const { client, name, seatPlanId: planId } = workspace;
  const customerId = `${name}-team`;
  const create = (path: string, body: object, what: string) =>
    expectStatus(201, client.post(path, body, `${customerId}/${what}`));
  await create('/v1/customers', { id: customerId, name: customerId }, 'customer');
  const card = { type: 'test', test: 'pm_card_visa' };
  await create(`/v1/customers/${customerId}/payment-methods`, card, 'card');
  const team = { customerId, licenseIds: [] };
  await allocate(workspace, team, 'first', FIRST_SEATS, () => undefined);
  await create('/v1/subscriptions', { customerId, planId }, 'subscription');
  return team;
}

/** Allocates licenses, all at once. */
export async function addSeats(
  workspace: Workspace,
  team: Team,
  month: number,
  random: Random,
  { repeated }: Extent,
): Promise<void> {
  await allocate(workspace, team, `${month}`, random.int(...MORE_SEATS), repetitions(random, repeated));
}

/** Deactivates some of the licenses, each of them from two sides at once. */
export async function freeSeats(
  { client }: Workspace,
  team: Team,
  random: Random,
  { repeated }: Extent,
): Promise<void> {
  const again = repetitions(random, repeated);
  const freed = random.shuffled(team.licenseIds).slice(0, random.int(0, team.licenseIds.length));
  team.licenseIds = team.licenseIds.filter((id) => !freed.includes(id));
  await Promise.all(
    freed.flatMap((id) =>
      ['one', 'other'].map((who) =>
        expectStatus(
          200,
          client.post(`/v1/licenses/${id}/deactivate`, {}, `${id}/deactivate-${who}`, again()),
        ),
      ),
    ),
  );
}

async function allocate(
  { client }: Workspace,
  team: Team,
  which: string,
  count: number,
  again: ReturnType<typeof repetitions>,
): Promise<void> {
  const { customerId } = team;
  const allocated = Array.from({ length: count }, (_, index) =>
    client.post(
      '/v1/licenses',
      { customerId, licenseTypeId: LICENSE_TYPE },
      `${customerId}/license-${which}-${index}`,
      again(),
    ),
  );
  for (const sent of allocated)
    team.licenseIds.push(((await expectStatus(201, sent)).body as { id: string }).id);
}
