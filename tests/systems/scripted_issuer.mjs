// An OpenID provider that makes the mistakes it is told to make: its tokens are signed here, by Node's own cryptography.
import { createHmac, generateKeyPairSync, randomUUID, sign } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";

const base64url = (value) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
const now = () => Math.floor(Date.now() / 1000);

export function newKey(algorithm = "RS256") {
  const { publicKey, privateKey } = algorithm === "RS256" ? generateKeyPairSync("rsa", { modulusLength: 2048 }) : generateKeyPairSync("ec", { namedCurve: "P-256" });
  return { kid: randomUUID(), algorithm, publicKey, privateKey };
}

const jwk = ({ kid, algorithm, publicKey }) => ({ ...publicKey.export({ format: "jwk" }), kid, alg: algorithm, use: "sig" });

export function signed(claims, key, header = {}) {
  const text = `${base64url({ alg: key.algorithm, kid: key.kid, typ: "JWT", ...header })}.${base64url(claims)}`;
  const signature = sign("sha256", Buffer.from(text), { key: key.privateKey, ...(key.algorithm === "ES256" && { dsaEncoding: "ieee-p1363" }) });
  return `${text}.${signature.toString("base64url")}`;
}

/** Everybody is `person` here. `tls` has a key and its certificate. `mistake` changes the next answers: it gets what would be right. */
export async function startIssuer(client, person, tls) {
  const issuer = { keys: [newKey()], mistake: {}, requests: [], keysRead: 0 };
  const codes = new Map();
  const serve = tls ? (answer) => createSecureServer(tls, answer) : createServer;
  const server = serve(async (request, response) => {
    const url = new URL(request.url, issuer.url);
    const answer = (status, body) => response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
    if (url.pathname === "/realm/.well-known/openid-configuration") {
      return answer(issuer.mistake.unavailable ?? 200, { issuer: issuer.url, authorization_endpoint: `${issuer.url}/auth?tenant=1`, token_endpoint: `${issuer.url}/token`, jwks_uri: `${issuer.url}/keys`, ...issuer.mistake.metadata });
    }
    if (url.pathname === "/realm/keys") {
      ++issuer.keysRead;
      return answer(200, { keys: [{ kty: "RSA", use: "enc", n: "AQAB", e: "AQAB" }, { kty: "EC", crv: "P-521", use: "sig", x: "AQ", y: "AQ" }, ...issuer.keys.map(jwk)] });
    }
    if (url.pathname === "/realm/auth") {
      const asked = Object.fromEntries(url.searchParams);
      issuer.requests.push(asked);
      const code = randomUUID();
      codes.set(code, asked);
      const back = new URL(asked.redirect_uri);
      for (const [name, value] of Object.entries({ code, state: asked.state, ...issuer.mistake.answer })) if (value !== undefined) back.searchParams.set(name, value);
      return response.writeHead(302, { Location: back.href }).end();
    }
    if (url.pathname === "/realm/token") {
      const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString());
      issuer.requests.push({ ...Object.fromEntries(form), authorization: request.headers.authorization });
      if (issuer.mistake.token) return answer(400, issuer.mistake.token);
      const asked = codes.get(form.get("code"));
      const claims = { iss: issuer.url, aud: client, iat: now(), exp: now() + 300, nonce: asked.nonce, ...person, ...issuer.mistake.claims };
      return answer(200, { token_type: "Bearer", access_token: "x", id_token: issuer.mistake.sign?.(claims, issuer) ?? signed(claims, issuer.mistake.key ?? issuer.keys[0], issuer.mistake.header) });
    }
    return answer(404, {});
  });
  // "localhost" is another site than 127.0.0.1: the browser treats the way back as that from a foreign site.
  server.listen(0, "localhost");
  await once(server, "listening");
  issuer.origin = `${tls ? "https" : "http"}://localhost:${server.address().port}`;
  issuer.url = `${issuer.origin}/realm`;
  issuer.stop = () => (server.closeAllConnections(), server.close());
  return issuer;
}

export const unsigned = (claims) => `${base64url({ alg: "none" })}.${base64url(claims)}.`;
/** Everybody knows the public key: it must not serve as a secret. */
export function signedWithPublicKey(claims, { keys: [key] }) {
  const text = `${base64url({ alg: "HS256", kid: key.kid })}.${base64url(claims)}`;
  return `${text}.${createHmac("sha256", key.publicKey.export({ format: "pem", type: "spki" })).update(text).digest("base64url")}`;
}
