// The AWS SDK for JavaScript v3 with buckets: objects, lists, uploads in parts, checksums, presigned URLs. Started by ../javascript_test.py, which sets
// NODE_PATH and S3_ENDPOINT. The server verifies signatures.
"use strict";

const assert = require("node:assert/strict");
const { createHash, randomBytes } = require("node:crypto");
const { Readable } = require("node:stream");
const { before, test } = require("node:test");
const s3 = require("@aws-sdk/client-s3");
const { Upload } = require("@aws-sdk/lib-storage");
const { getSignedUrl } = require("@aws-sdk/s3-request-presigner");

const endpoint = process.env.S3_ENDPOINT;
const client = new s3.S3Client({ endpoint, forcePathStyle: true, maxAttempts: 1 });
const Bucket = "photos";
const send = (name, input = {}) => client.send(new s3[`${name}Command`]({ Bucket, ...input }));
const put = (Key, Body, more = {}) => send("PutObject", { Key, Body, ...more });
const text = async (Key, more = {}) => (await send("GetObject", { Key, ...more })).Body.transformToString();
const md5 = (bytes) => `"${createHash("md5").update(bytes).digest("hex")}"`;

before(async () => {
  await send("CreateBucket");
  await s3.waitUntilBucketExists({ client, maxWaitTime: 10 }, { Bucket });
});

test("objects of any key come back as they were put", async () => {
  for (const key of ["a", "folder/b.txt", "a//b", "ü/日本 +%2F&<>'\".txt", "../x"]) {
    const { ETag } = await put(key, `text of ${key}`, { ContentType: "text/x-test", Metadata: { owner: "anna" } });
    assert.equal(ETag, md5(`text of ${key}`), key);
    assert.equal(await text(key), `text of ${key}`);
    const head = await send("HeadObject", { Key: key });
    assert.deepEqual([head.ContentType, head.Metadata, head.ContentLength], ["text/x-test", { owner: "anna" }, Buffer.byteLength(`text of ${key}`)]);
    await send("CopyObject", { Key: "copy", CopySource: encodeURI(`${Bucket}/${key}`).replaceAll("+", "%2B") });
    assert.equal(await text("copy"), `text of ${key}`);
    await send("DeleteObject", { Key: key });
    await assert.rejects(send("GetObject", { Key: key }), s3.NoSuchKey);
    await assert.rejects(send("HeadObject", { Key: key }), s3.NotFound);
  }
});

test("ranges, conditions and streams", async () => {
  const bytes = randomBytes(300_000);
  // A stream is signed piece by piece, with its checksum behind it.
  const { ETag } = await put("stream", Readable.from([bytes.subarray(0, 100_000), bytes.subarray(100_000)]), { ContentLength: bytes.length });
  assert.deepEqual(Buffer.from(await (await send("GetObject", { Key: "stream" })).Body.transformToByteArray()), bytes);
  const part = await send("GetObject", { Key: "stream", Range: "bytes=100-199" });
  assert.deepEqual([part.ContentRange, Buffer.from(await part.Body.transformToByteArray())], ["bytes 100-199/300000", bytes.subarray(100, 200)]);
  await assert.rejects(send("GetObject", { Key: "stream", IfNoneMatch: ETag }), (error) => error.$metadata.httpStatusCode === 304);
  await assert.rejects(put("stream", "other", { IfNoneMatch: "*" }), { name: "PreconditionFailed" });
});

test("checksums of every algorithm are checked on both sides", async () => {
  for (const algorithm of ["CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"]) {
    const name = `Checksum${algorithm}`;
    const { [name]: sum } = await put("sum", "123456789", { ChecksumAlgorithm: algorithm });
    assert.ok(sum, algorithm);
    const got = await send("GetObject", { Key: "sum", ChecksumMode: "ENABLED" });
    assert.equal(got[name], sum);
    assert.equal(await got.Body.transformToString(), "123456789");
  }
  await assert.rejects(put("sum", "123456789", { ChecksumSHA256: createHash("sha256").update("another").digest("base64") }), { name: "BadDigest" });
  await assert.rejects(put("sum", "123456789", { ContentMD5: createHash("md5").update("another").digest("base64") }), { name: "BadDigest" });
});

test("lists by prefix and delimiter, in pages; many are deleted at once", async () => {
  const keys = ["list/a", "list/b/1", "list/b/2", "list/c", "list/d"];
  for (const key of keys) await put(key, "x");
  const found = [];
  for await (const page of s3.paginateListObjectsV2({ client, pageSize: 2 }, { Bucket, Prefix: "list/" })) found.push(...page.Contents.map(({ Key }) => Key));
  assert.deepEqual(found, keys);
  const folders = await send("ListObjectsV2", { Prefix: "list/", Delimiter: "/" });
  assert.deepEqual([folders.Contents.map(({ Key }) => Key), folders.CommonPrefixes], [["list/a", "list/c", "list/d"], [{ Prefix: "list/b/" }]]);
  await assert.rejects(send("DeleteBucket"), { name: "BucketNotEmpty" });
  const { Deleted } = await send("DeleteObjects", { Delete: { Objects: keys.map((Key) => ({ Key })) } });
  assert.equal(Deleted.length, keys.length);
  assert.equal((await send("ListObjectsV2", { Prefix: "list/" })).KeyCount, 0);
});

test("large objects are uploaded in parts; an upload that is given up leaves nothing", async () => {
  const bytes = randomBytes(11 << 20);
  const upload = new Upload({ client, partSize: 5 << 20, queueSize: 3, params: { Bucket, Key: "large", Body: Readable.from([bytes]), ContentType: "video/x-test" } });
  const { ETag } = await upload.done();
  assert.match(ETag, /-3"$/);
  const got = await send("GetObject", { Key: "large" });
  assert.equal(got.ContentType, "video/x-test");
  assert.ok(bytes.equals(Buffer.from(await got.Body.transformToByteArray())));

  const { UploadId } = await send("CreateMultipartUpload", { Key: "never" });
  await send("UploadPart", { Key: "never", UploadId, PartNumber: 1, Body: "x" });
  assert.deepEqual((await send("ListParts", { Key: "never", UploadId })).Parts.map(({ PartNumber }) => PartNumber), [1]);
  await send("AbortMultipartUpload", { Key: "never", UploadId });
  await assert.rejects(send("ListParts", { Key: "never", UploadId }), s3.NoSuchUpload);
  await assert.rejects(send("GetObject", { Key: "never" }), s3.NoSuchKey);
});

test("presigned URLs serve for their request alone, and for their time", async () => {
  const url = await getSignedUrl(client, new s3.PutObjectCommand({ Bucket, Key: "shared", ContentType: "text/plain" }), { expiresIn: 300, signableHeaders: new Set(["content-type"]) });
  const upload = (to, headers) => fetch(to, { method: "PUT", body: "by hand", headers });
  assert.equal((await upload(url, { "Content-Type": "text/html" })).status, 403);
  assert.equal((await upload(url.replace("/shared?", "/other?"), { "Content-Type": "text/plain" })).status, 403);
  assert.equal((await fetch(url, { method: "DELETE" })).status, 403);
  assert.equal((await upload(url, { "Content-Type": "text/plain" })).status, 200);
  assert.equal(await text("shared"), "by hand");
  const read = (options) => getSignedUrl(client, new s3.GetObjectCommand({ Bucket, Key: "shared" }), options);
  assert.equal(await (await fetch(await read({ expiresIn: 60 }))).text(), "by hand");
  const late = await fetch(await read({ expiresIn: 60, signingDate: new Date(Date.now() - 3_600_000) }));
  assert.deepEqual([late.status, /Request has expired/.test(await late.text())], [403, true]);
});

test("what is not there has its own error", async () => {
  await assert.rejects(client.send(new s3.ListObjectsV2Command({ Bucket: "missing" })), s3.NoSuchBucket);
  const stranger = new s3.S3Client({ endpoint, forcePathStyle: true, maxAttempts: 1, credentials: { accessKeyId: "NOBODY", secretAccessKey: "x" } });
  await assert.rejects(stranger.send(new s3.ListBucketsCommand()), { name: "InvalidAccessKeyId" });
  const { Buckets } = await client.send(new s3.ListBucketsCommand());
  assert.deepEqual(Buckets.map(({ Name }) => Name), [Bucket]);
});
