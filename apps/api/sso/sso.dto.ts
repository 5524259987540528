import { ApiProperty } from '@nestjs/swagger';
import { ROLES, type Role } from '#libs/manifest';
import {
  BooleanField,
  ChoiceField,
  EmailField,
  IdField,
  ListView,
  SingleLineField,
  TextField,
  TextListField,
} from '../http/index.js';

const name = { max: 100, description: 'The name of the provider, for display.', example: 'Example Entra ID' };
const issuer = {
  max: 2_048,
  description:
    'The issuer identifier of the OpenID Connect provider. The provider describes itself at `<issuer>/.well-known/openid-configuration`.',
  example: 'https://login.example.com',
};
const clientId = {
  max: 500,
  description: 'The client id that the provider gave to Countinghouse.',
  example: 'countinghouse',
};
const clientSecret = {
  max: 1_000,
  description: 'The client secret. The client secret is stored encrypted and never shown.',
  example: 'x7Qa-secret-of-the-client',
};
const domains = {
  min: 1,
  max: 50,
  description:
    'The domains of the e-mail addresses of users. Each domain has no effect before it is verified.',
  example: ['example.com'],
};
const redirectUris = {
  min: 1,
  max: 20,
  description:
    'The only URIs to which the provider may send users back. A redirect URI must use https, or http with localhost.',
  example: ['https://app.example.com/sso'],
};
const defaultRole = {
  description:
    'The role of users who are created at their first sign-in. The default role is `viewer`. A user with an open invitation gets the ' +
    'role of the invitation.',
  example: 'viewer',
};
const createUsers = {
  description:
    'Whether unknown users are created at their first sign-in. The default is true. A user with an open invitation is created in any case.',
  example: true,
};
const required = {
  description:
    'Whether users of the workspace with an address in a verified domain must sign in by this connection. Passwords, links in mail ' +
    'and invitations are then refused with `sso_required`. It is false by default.',
  example: false,
};

const DOMAIN = /^[^\s@/:?#]{1,253}$/u;
const DOMAIN_WORDS = { name: 'domains', of: 'domains such as "example.com"' };
const URI = /^\S{1,2048}$/u;
const URI_WORDS = { name: 'URIs', of: 'URIs of at most 2048 characters without spaces' };

/** Returns the description and example of a field for responses, without the limits for requests. */
const shown = ({ description, example }: { description: string; example: string }) => ({
  description,
  example,
});

export class CreateSsoConnectionBody {
  @SingleLineField(name) name: string;
  @SingleLineField(issuer) issuer: string;
  @SingleLineField(clientId) clientId: string;
  @SingleLineField(clientSecret) clientSecret: string;
  @TextListField(domains, DOMAIN, DOMAIN_WORDS) domains: string[];
  @TextListField(redirectUris, URI, URI_WORDS) redirectUris: string[];
  @ChoiceField(ROLES, { ...defaultRole, optional: true }) defaultRole?: Role;
  @BooleanField({ ...createUsers, optional: true }) createUsers?: boolean;
  @BooleanField({ ...required, optional: true }) required?: boolean;
}

export class ChangeSsoConnectionBody {
  @SingleLineField({ ...name, optional: true }) name?: string;
  @SingleLineField({ ...issuer, optional: true }) issuer?: string;
  @SingleLineField({ ...clientId, optional: true }) clientId?: string;
  @SingleLineField({ ...clientSecret, optional: true }) clientSecret?: string;
  @TextListField({ ...domains, optional: true }, DOMAIN, DOMAIN_WORDS) domains?: string[];
  @TextListField({ ...redirectUris, optional: true }, URI, URI_WORDS) redirectUris?: string[];
  @ChoiceField(ROLES, { ...defaultRole, optional: true }) defaultRole?: Role;
  @BooleanField({ ...createUsers, optional: true }) createUsers?: boolean;
  @BooleanField({ ...required, optional: true }) required?: boolean;
}

export class DomainRecordView {
  @ApiProperty({ description: 'The type of the DNS record.', example: 'TXT' }) type: string;
  @ApiProperty({ description: 'The name of the DNS record.', example: '_countinghouse.example.com' })
  name: string;
  @ApiProperty({ description: 'The content of the DNS record.', example: 'countinghouse-domain=x7Qa' })
  value: string;
}

export class SsoDomainView {
  @ApiProperty({ description: 'The domain of e-mail addresses.', example: 'example.com' }) domain: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'The time when the domain was verified. Null if the domain is not verified.',
  })
  verifiedAt: string | null;
  @ApiProperty({ description: 'The DNS record that proves that the domain is yours.' })
  record: DomainRecordView;
}

export class SsoConnectionView {
  @ApiProperty({ example: 'sso_01K0ZJ3Q8W4V5T6R7Y8P9N0M1B' }) id: string;
  @ApiProperty(shown(name)) name: string;
  @ApiProperty(shown(issuer)) issuer: string;
  @ApiProperty(shown(clientId)) clientId: string;
  @ApiProperty({
    type: [SsoDomainView],
    description: 'The domains of the SSO connection, each with the time of its verification.',
  })
  domains: SsoDomainView[];
  @ApiProperty({ type: [String], description: redirectUris.description, example: redirectUris.example })
  redirectUris: string[];
  @ApiProperty({ ...defaultRole, enum: ROLES }) defaultRole: Role;
  @ApiProperty(createUsers) createUsers: boolean;
  @ApiProperty(required) required: boolean;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({
    format: 'date-time',
    description: 'The time of the last change. The verification of a domain is not such a change.',
  })
  updatedAt: string;
}

export class SsoConnectionList extends ListView {
  @ApiProperty({ type: [SsoConnectionView] }) data: SsoConnectionView[];
}

export class StartSsoBody {
  @EmailField({
    optional: true,
    description:
      'The address of the user. The domain of the address selects the SSO connection, unless `connectionId` is given. The provider may ' +
      'fill in the address on its sign-in page.',
    example: 'ada@example.com',
  })
  email?: string;

  @IdField({
    optional: true,
    description: 'The id of the SSO connection to sign in by. Required if `email` is not given.',
    example: 'sso_01K0ZJ3Q8W4V5T6R7Y8P9N0M1B',
  })
  connectionId?: string;

  @TextField({
    max: 2_048,
    description:
      'The URI to which the provider sends the user back. The URI must be one of the redirect URIs of the SSO connection.',
    example: 'https://app.example.com/sso',
  })
  redirectUri: string;
}

export class SsoStartView {
  @ApiProperty({
    description: 'The URL of the provider at which the user signs in. Send the browser to this URL.',
    example: 'https://login.example.com/authorize?client_id=countinghouse&state=x7Qa',
  })
  authorizationUrl: string;
  @ApiProperty({
    description:
      'Keep this value in the session of the browser, and compare it with the `state` of the redirect. The value is valid once, for ten ' +
      'minutes.',
    example: 'x7QaU5nV0uTtq3TY5vJ0rj3UUl3gBvVn',
  })
  state: string;
}

export class ExchangeSsoBody {
  @TextField({
    max: 4_096,
    description: 'The parameter `code` of the redirect.',
    example: 'SplxlOBeZQQYbYS6WxSbIA',
  })
  code: string;

  @TextField({
    max: 512,
    description: 'The parameter `state` of the redirect.',
    example: 'x7QaU5nV0uTtq3TY5vJ0rj3UUl3gBvVn',
  })
  state: string;

  @TextField({
    max: 2_048,
    optional: true,
    description:
      'The parameter `iss` of the redirect. Always pass on `iss` if the redirect has it, because it shows which provider answered ' +
      '(RFC 9207).',
    example: 'https://login.example.com',
  })
  iss?: string;
}
