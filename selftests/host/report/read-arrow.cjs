// SPDX-License-Identifier: BSD-2-Clause
// Rows of a stream of Arrow as lines of JSON, each a list, as another reader finds them
//
// usage: NODE_PATH=.../node_modules node read-arrow.cjs apache-arrow|@duckdb/duckdb-wasm FILE
'use strict';
const fs = require('fs');
const path = require('path');

function print(names, rows) {
	const plain = (value) => typeof value === 'bigint' ? String(value) : value ?? null;

	console.log(JSON.stringify(names));
	for (const row of rows)
		console.log(JSON.stringify(names.map((name) => plain(row[name]))));
}

function withArrow(data) {
	const table = require('apache-arrow').tableFromIPC(data);

	print(table.schema.fields.map((field) => field.name), table);
}

async function withDuckdb(data) {
	const duckdb = require('@duckdb/duckdb-wasm/dist/duckdb-node-blocking.cjs');
	const folder = path.dirname(require.resolve('@duckdb/duckdb-wasm/dist/duckdb-node-blocking.cjs'));
	const part = (name) => ({ mainModule: path.join(folder, name), mainWorker: '' });
	const db = await duckdb.createDuckDB({ mvp: part('duckdb-mvp.wasm'), eh: part('duckdb-eh.wasm') },
					     new duckdb.VoidLogger(), duckdb.NODE_RUNTIME);

	await db.instantiate();
	const connection = db.connect();
	connection.insertArrowFromIPCStream(new Uint8Array(data), { name: 'rows', create: true });
	const table = connection.query('SELECT * FROM rows');
	print(table.schema.fields.map((field) => field.name), table);
}

const data = fs.readFileSync(process.argv[3]);
if (process.argv[2] === 'apache-arrow')
	withArrow(data);
else
	withDuckdb(data);
