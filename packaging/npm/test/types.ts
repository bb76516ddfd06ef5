// Compiled, not run: the types of the package.
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { start, type Server } from "tavola";

const server: Server = await start({ designs: ["music.yaml"], port: 0 });
export const client = new DynamoDBClient(server);
// @ts-expect-error: a port is a number
await start({ port: "8000" });
await server.stop();
