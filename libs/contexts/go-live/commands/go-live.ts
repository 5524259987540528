import { Inject } from '@nestjs/common';
import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import {
  CreateLiveWorkspace,
  InviteUser,
  liveWorkspaceIdOf,
  ProvedAddresses,
  ResendInvitation,
  RevokeInvitation,
  UserQueries,
  WorkspaceNames,
  type AccessLimits,
  type Principal,
} from '#libs/contexts/identity';
import { ChangeBillingSettings, CurrentBillingSettings } from '#libs/contexts/invoicing';
import { ConnectPaymentGateway, modeOfKey, StripeKeyChecker } from '#libs/contexts/payments';
import { SETTINGS } from '#libs/kernel/app';
import { Conflict, Forbidden, InvalidRequest, StateConflict, NotFound, Unavailable } from '#libs/kernel/core';
import { followUpContext, type CommandContext } from '#libs/kernel/event-store';
import type { Settings } from '#libs/kernel/system';
import { WorkspaceClock } from '#libs/kernel/workspaces';
import { CatalogCopier, type SandboxCatalog } from '../catalog-copier.js';
import type { CatalogCopyResult } from '../catalog-copy.js';
import { runGoLiveChecks, type GoLiveCheck, type GoLiveFacts } from '../checks.js';

/** The request to go live. */
export interface GoLiveRequest {
  /** The e-mail address of the first admin of the live workspace. */
  readonly adminEmail: string;
  /** The secret key of the payment gateway of the live workspace. Undefined if the request connects no payment gateway. */
  readonly secretKey: string | undefined;
  readonly withoutPaymentGateway: boolean;
  /** If true, only the checks run, and nothing is created. */
  readonly preview: boolean;
}

export interface GoLiveResult {
  readonly checks: readonly GoLiveCheck[];
  /** The live workspace with its first API key. Null if a check failed, or for a preview. */
  readonly live: { readonly workspaceId: string; readonly apiKey: string } | null;
  /** The result of the copy of the catalog. Null if no catalog was to be copied, if a check failed, or for a preview. */
  readonly catalogCopy: CatalogCopyResult | null;
}

/**
 * Creates the live workspace of a sandbox, if no check fails. The live workspace gets the sandbox's name and billing settings. If `catalog`
 * is given, the live workspace also gets a copy of it. If an interrupted request is repeated, the copy continues where it stopped. A
 * repetition does not copy the billing settings again, and revokes the invitations of other addresses. Throws StateConflict
 * (`sandbox_only`) in a live workspace. Throws Conflict (`already_live`) if the live workspace has a user already, no check fails, and the
 * request is no preview. Throws Forbidden (`unlimited_credential_required`) if the caller's API key is restricted or expires, because the
 * response contains a key without these limits.
 */
export class GoLive extends Command<GoLiveResult> {
  constructor(
    readonly context: CommandContext,
    readonly caller: Principal,
    readonly request: GoLiveRequest,
    /** The number of the sandbox's plans. */
    readonly planCount: number,
    /** The catalog to copy. Null if no catalog is to be copied. */
    readonly catalog: SandboxCatalog | null,
  ) {
    super();
  }
}

@CommandHandler(GoLive)
export class GoLiveHandler implements ICommandHandler<GoLive> {
  constructor(
    private readonly commands: CommandBus,
    private readonly workspaces: WorkspaceClock,
    private readonly names: WorkspaceNames,
    private readonly billingSettings: CurrentBillingSettings,
    private readonly accounts: StripeKeyChecker,
    private readonly copier: CatalogCopier,
    private readonly users: UserQueries,
    private readonly addresses: ProvedAddresses,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async execute({ context, caller, request, planCount, catalog }: GoLive): Promise<GoLiveResult> {
    requireUnlimitedCredential(caller);
    const { workspaceId: sandboxId } = context;
    if ((await this.workspaces.readMode(sandboxId)) !== 'sandbox')
      throw new StateConflict('sandbox_only', 'This workspace is live already; only a sandbox goes live');
    const checks = runGoLiveChecks(await this.factsOf(context, request, planCount));
    if (request.preview || checks.some(({ status }) => status === 'failed'))
      return { checks, live: null, catalogCopy: null };
    const name = await this.names.nameOf(sandboxId);
    const { secret: apiKey } = await this.commands.execute(new CreateLiveWorkspace(context, caller, name));
    const workspaceId = liveWorkspaceIdOf(sandboxId);
    // A live workspace uses the machine's clock.
    const live = { ...context, workspaceId, now: await this.workspaces.now(workspaceId) };
    // The catalog is copied before the invitation, because an interrupted request can be repeated only while the live workspace has no
    // user.
    const copied = catalog && (await this.copier.copy(live, catalog, context.now));
    await this.setUp(live, sandboxId, caller.id, request, copied);
    return { checks, live: { workspaceId, apiKey }, catalogCopy: copied };
  }

  /** Sets up the new live workspace. Each step can be repeated. */
  private async setUp(
    live: CommandContext,
    sandboxId: string,
    inviterId: string,
    { adminEmail, secretKey }: GoLiveRequest,
    copied: CatalogCopyResult | null,
  ): Promise<void> {
    const step = (name: string): CommandContext => followUpContext(live, name);
    const { defaultTaxRateIds, ...settings } = await this.billingSettings.ofWorkspace(sandboxId);
    const present = await this.billingSettings.findChanged(live.workspaceId);
    // The defaults can only name tax rates of the live workspace. Without a copy of the catalog it has none.
    const needsDefaults = copied && !present?.defaultTaxRateIds.length;
    const defaults = needsDefaults ? { defaultTaxRateIds: liveTaxRates(copied, defaultTaxRateIds) } : {};
    // An earlier request has copied the settings, and they may have been changed in the live workspace since.
    const changes = { ...(present ? {} : settings), ...defaults };
    await this.commands.execute(new ChangeBillingSettings(step('settings'), changes));
    if (secretKey !== undefined)
      await this.commands.execute(new ConnectPaymentGateway(step('gateway'), { secretKey }));
    await this.revokeOtherInvitations(live, adminEmail);
    try {
      await this.commands.execute(new InviteUser(step('invite'), inviterId, adminEmail, 'admin'));
    } catch (error) {
      const invitation = await this.users.findPendingInvitation(live.workspaceId, adminEmail);
      if (!(hasCode(error, 'already_invited', 'invitation_limit_reached') && invitation)) throw error;
      await this.inviteAgain(step('resend'), invitation.id);
    }
  }

  /**
   * Revokes the invitations that earlier requests sent to other addresses. While the live workspace has no user, only requests to go live
   * have invited anybody.
   */
  private async revokeOtherInvitations(live: CommandContext, adminEmail: string): Promise<void> {
    for (const { id } of await this.users.listPendingInvitations(live.workspaceId, { except: adminEmail }))
      await this.commands
        .execute(new RevokeInvitation(followUpContext(live, `revoke ${id}`), id))
        .catch((error: unknown) => {
          // Another request has revoked the invitation, or it was accepted meanwhile.
          if (!(error instanceof NotFound)) throw error;
        });
  }

  /**
   * Sends the invitation of an earlier request again. Sends nothing if the last mail went out a moment ago, or if the address got too many
   * mails within a day.
   */
  private async inviteAgain(context: CommandContext, invitationId: string): Promise<void> {
    try {
      await this.commands.execute(new ResendInvitation(context, invitationId));
    } catch (error) {
      // The caller may only want another API key.
      if (!hasCode(error, 'invitation_just_sent', 'invitation_limit_reached')) throw error;
    }
  }

  private async factsOf(
    { workspaceId: sandboxId, actor }: CommandContext,
    { secretKey, withoutPaymentGateway: withoutGateway }: GoLiveRequest,
    planCount: number,
  ): Promise<GoLiveFacts> {
    const { seller, defaultTaxRateIds } = await this.billingSettings.ofWorkspace(sandboxId);
    return {
      isAddressProved: await this.addresses.isProved(sandboxId, actor),
      seller,
      hasDefaultTaxRates: defaultTaxRateIds.length > 0,
      planCount,
      withoutGateway,
      gatewayKey: await this.checkKey(secretKey),
      sendsMail: this.settings.mailUrl !== undefined,
      publicUrl: this.settings.publicUrl,
    };
  }

  private async checkKey(secretKey: string | undefined): Promise<GoLiveFacts['gatewayKey']> {
    if (secretKey === undefined) return 'missing';
    try {
      await this.accounts.readAccountId(secretKey);
      return modeOfKey(secretKey);
    } catch (error) {
      if (error instanceof InvalidRequest) return 'refused';
      if (error instanceof Unavailable) return 'unchecked';
      throw error;
    }
  }
}

/** The live ids of the copies of these tax rates. Tax rates that were not copied are left out. */
function liveTaxRates({ copied }: CatalogCopyResult, taxRateIds: readonly string[]): string[] {
  return taxRateIds.flatMap((id) =>
    copied
      .filter(({ type, sandboxId }) => type === 'tax_rate' && sandboxId === id)
      .map(({ liveId }) => liveId),
  );
}

function hasCode(error: unknown, ...codes: string[]): boolean {
  return (error instanceof Conflict || error instanceof InvalidRequest) && codes.includes(error.code);
}

function requireUnlimitedCredential({ permissions, expiresAt }: AccessLimits): void {
  if (!permissions && !expiresAt) return;
  throw new Forbidden(
    'unlimited_credential_required',
    'Going live makes an admin of the live workspace, so an API key that is restricted or expires cannot do it; use another credential',
  );
}
