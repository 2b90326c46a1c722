//! Load for `benches/fleet.sh` and `benches/fleet-http.sh`: a store filled with made hosts, and the times of its questions.
//!
//! ```text
//! fleet_load fill STORE HOSTS        judged reports into a store, 256 a transaction
//! fleet_load ask STORE [ROUNDS]      each question, its median time in ms
//! fleet_load push ADDRESS:PORT TOKEN HOSTS CONNECTIONS      captures of made hosts to a server
//! fleet_load postgres                a PostgreSQL in a folder of its own: prints its URL, ends with the standard input
//! ```

mod ask;
mod fill;
mod push;

pub fn main() {
    let arguments: Vec<String> = std::env::args().skip(2).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["fill", store, hosts] => fill::fill(&store.parse().unwrap(), hosts.parse().unwrap()),
        ["ask", store] => ask::ask(&store.parse().unwrap(), 5),
        ["ask", store, rounds] => ask::ask(&store.parse().unwrap(), rounds.parse().unwrap()),
        ["push", address, token, hosts, connections] => {
            push::push(
                address,
                token,
                hosts.parse().unwrap(),
                connections.parse().unwrap(),
            );
        }
        ["postgres"] => {
            let server = ioalign_testkit::PostgresServer::start();
            println!("{}", server.space("load"));
            std::io::copy(&mut std::io::stdin(), &mut std::io::sink()).unwrap();
        }
        _ => panic!("fill STORE HOSTS | ask STORE [ROUNDS] | push … | postgres"),
    }
}
