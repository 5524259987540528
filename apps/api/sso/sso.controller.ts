import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import {
  ApiConflictResponse,
  ApiForbiddenResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiServiceUnavailableResponse,
  ApiTags,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { CompleteSso, presentUser, StartSso } from '#libs/contexts/identity';
import { SignedInView } from '../auth/auth.dto.js';
import { Public } from '../http/auth/index.js';
import { ExchangeSsoBody, SsoStartView, StartSsoBody } from './sso.dto.js';

const UNUSABLE_PROVIDER_DESCRIPTION =
  '`sso_provider_unusable`: the metadata of the identity provider have an endpoint that is missing or no https URL, or no usable method ' +
  'for the client secret.';

@ApiTags('Authentication')
@Controller('v1/auth/sso')
@Public()
export class SsoController {
  constructor(private readonly commands: CommandBus) {}

  @Post('start')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Begin single sign-on',
    description:
      'Uses OpenID Connect with PKCE. Send the browser to `authorizationUrl`. The provider redirects the browser to `redirectUri` ' +
      'with `code` and `state`.',
  })
  @ApiOkResponse({ type: SsoStartView })
  @ApiNotFoundResponse({
    description:
      '`sso_connection_not_found`: no connection has this id, or no connection has verified the domain of this address.',
  })
  @ApiConflictResponse({ description: UNUSABLE_PROVIDER_DESCRIPTION })
  @ApiServiceUnavailableResponse({
    description: '`identity_provider_unavailable`: the identity provider does not answer.',
  })
  async start(@Body() { email, connectionId, redirectUri }: StartSsoBody): Promise<SsoStartView> {
    return this.commands.execute(new StartSso({ email, connectionId }, redirectUri));
  }

  @Post('exchange')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Complete single sign-on, and sign in',
    description:
      "Exchanges the parameters of the provider's redirect for the user and the tokens of a session. Each `state` can be sent only once. " +
      'After a failed attempt, begin again with `start`.',
  })
  @ApiOkResponse({ type: SignedInView })
  @ApiUnauthorizedResponse({
    description:
      '`sso_state_invalid`: the sign-in is unknown, completed or older than ten minutes. `sso_failed`: the provider refused the code, or its ' +
      'answer cannot be trusted.',
  })
  @ApiConflictResponse({
    description: `\`email_taken\`: a user of another workspace has proved this e-mail address. ${UNUSABLE_PROVIDER_DESCRIPTION}`,
  })
  @ApiForbiddenResponse({
    description:
      '`sso_user_unknown`: no user and no open invitation has this address, and the connection creates no users. ' +
      '`sso_email_missing`, `sso_email_invalid`, ' +
      '`sso_email_unverified`, `sso_domain_not_verified`: the provider gave no valid and verified address in a verified domain. ' +
      '`user_deactivated`: the user is not allowed to sign in. `sso_secret_unreadable`: an admin must set the client secret again.',
  })
  @ApiServiceUnavailableResponse({
    description: '`identity_provider_unavailable`: the identity provider does not answer.',
  })
  async exchange(
    @Body() { code, state, iss }: ExchangeSsoBody,
    @Req() { id }: FastifyRequest,
  ): Promise<SignedInView> {
    const { user, tokens } = await this.commands.execute(new CompleteSso({ code, state, iss }, id));
    return { user: presentUser(user), tokens };
  }
}
